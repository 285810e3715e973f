import { Reactions } from '#platform/reactions'
import { reevaluate } from '#trust'

/** The one list of reactions: which upper module follows which fact, in order. */
export function bindReactions(): Reactions {
  return new Reactions()
    .on('agent.claimed', reevaluate)
}
