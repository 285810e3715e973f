import type { Queryable, Tx } from '#platform/kernel/db'
import { KINDS, type Kind } from '../events/kinds.ts'
import { CHANNELS, choicesOf, setChoices, type Channel, type Choice } from './sql.ts'

/** Which events of each kind a person sees where. */
export type Preferences = Record<Kind, Record<Channel, boolean>>
export type PreferenceChanges = Partial<Record<Kind, Partial<Record<Channel, boolean>>>>

/** Runs may be many: mails about them are sent where they are wanted. */
const isOnByDefault = (kind: Kind, channel: Channel): boolean => !(kind === 'runs' && channel === 'email')

/** Those of some accounts, by their id. */
export async function preferencesOf(
  q: Queryable,
  accountIds: readonly string[],
): Promise<Map<string, Preferences>> {
  const byAccount = Map.groupBy(await q.rows(choicesOf(accountIds)), ({ accountId }) => accountId)
  return new Map(accountIds.map(id => [id, withDefaults(byAccount.get(id) ?? [])]))
}

export const readPreferences = async (q: Queryable, accountId: string): Promise<Preferences> =>
  withDefaults(await q.rows(choicesOf([accountId])))

function withDefaults(choices: readonly Choice[]): Preferences {
  const isOn = (kind: Kind, channel: Channel) =>
    choices.find(each => each.kind === kind && each.channel === channel)?.enabled ??
    isOnByDefault(kind, channel)
  const channelsOf = (kind: Kind) => ({
    email: isOn(kind, 'email'),
    inApp: isOn(kind, 'inApp'),
    webhook: isOn(kind, 'webhook'),
  })
  return {
    offers: channelsOf('offers'),
    requests: channelsOf('requests'),
    runs: channelsOf('runs'),
    progress: channelsOf('progress'),
    deadlines: channelsOf('deadlines'),
    money: channelsOf('money'),
  }
}

export async function changePreferences(
  tx: Tx,
  accountId: string,
  changes: PreferenceChanges,
): Promise<Preferences> {
  const choices = KINDS.flatMap(kind =>
    CHANNELS.flatMap((channel): Choice[] => {
      const enabled = changes[kind]?.[channel]
      return enabled === undefined ? [] : [{ kind, channel, enabled }]
    }),
  )
  if (choices.length) await tx.run(setChoices(accountId, choices, tx.clock.real()))
  return readPreferences(tx, accountId)
}
