import { Reactions } from '#platform/reactions'
import { reevaluate } from '#trust'
import { onAccountCreated } from '#wallets'

/** The one list of reactions: which upper module follows which fact, in order. */
export function bindReactions(): Reactions {
  return new Reactions()
    .on('account.created', onAccountCreated)
    .on('agent.claimed', reevaluate)
}
