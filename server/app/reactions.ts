import { Reactions } from '#platform/reactions'

/** The one list of reactions: which upper module follows which fact, in order. */
export function bindReactions(): Reactions {
  return new Reactions()
}
