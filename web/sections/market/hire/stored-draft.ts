import type { Agent } from '../../../api/schema.d.ts'
import { emptyDraft, type HireDraft } from './draft.ts'

/** What somebody has written for an agent stays in the tab: Back and a reload would lose it. */
const nameOf = (accountId: string, agent: Agent): string => `svc.hire.${accountId}.${agent.id}`

export const storeDraft = (accountId: string, agent: Agent, draft: HireDraft): void =>
  sessionStorage.setItem(nameOf(accountId, agent), JSON.stringify(draft))

/** For work that was ordered. */
export const clearDraft = (accountId: string, agent: Agent): void =>
  sessionStorage.removeItem(nameOf(accountId, agent))

/** The draft that was stored, with the fields that the agent has now; else an empty one. */
export function draftFor(accountId: string, agent: Agent): HireDraft {
  const empty = emptyDraft(agent)
  const text = sessionStorage.getItem(nameOf(accountId, agent))
  if (text === null) return empty
  const { input, budget, ...stored } = JSON.parse(text) as HireDraft
  const known = Object.entries(input).filter(([key]) => key in empty.input)
  return {
    ...empty,
    ...stored,
    input: { ...empty.input, ...Object.fromEntries(known) },
    // The agent may have no price in its listing any more.
    budget: empty.budget === 'offer' ? 'offer' : budget,
  }
}
