import { newWebhookSecret } from '#platform/http/webhook-signature'
import { after, DAY } from '#platform/kernel/clock'
import type { Queryable, Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import * as statements from './sql.ts'

type Sealing = Pick<Services, 'secrets'>

/** How long a replaced secret still signs. */
const GRACE = DAY
const contextOf = (agentId: string): string => `agents/webhook-secret/${agentId}`

/** The secret of an agent that had none yet, for the account `madeBy`; else null: a secret is shown once. */
export async function createWebhookSecret(
  tx: Tx,
  { secrets }: Sealing,
  agentId: string,
  madeBy: string,
): Promise<string | null> {
  const secret = newWebhookSecret()
  const sealed = secrets.seal(secret, contextOf(agentId))
  return (await tx.run(statements.insertSecret(agentId, sealed, madeBy, tx.now))) ? secret : null
}

/** A new secret; the one before signs too for 24 hours. Null if the agent has none to replace. */
export async function rotateWebhookSecret(
  tx: Tx,
  { secrets }: Sealing,
  agentId: string,
  madeBy: string,
): Promise<{ secret: string; previousUntil: Date } | null> {
  const secret = newWebhookSecret()
  const previousUntil = after(tx.now, GRACE)
  const sealed = secrets.seal(secret, contextOf(agentId))
  const replace = statements.replaceSecret(agentId, sealed, madeBy, previousUntil)
  return (await tx.run(replace)) ? { secret, previousUntil } : null
}

/** From now on no message is signed with a secret that another account than `knownTo` (null: anybody) was shown. */
export async function replaceKnownSecrets(
  tx: Tx,
  { secrets }: Sealing,
  agentId: string,
  knownTo: string | null,
): Promise<void> {
  const sealed = secrets.seal(newWebhookSecret(), contextOf(agentId))
  await tx.run(statements.replaceKnown(agentId, sealed, knownTo))
}

/** The secrets that sign what is sent to the agent now, the newest first; empty if it has none. `now` is business time. */
export async function webhookSecretsOf(
  q: Queryable,
  { secrets }: Sealing,
  agentId: string,
  now: Date,
): Promise<string[]> {
  const row = await q.maybe(statements.secretOf(agentId))
  if (!row) return []
  const { sealed, previousSealed, previousUntil } = row
  const isValid = previousSealed !== null && previousUntil !== null && previousUntil > now
  return [sealed, ...(isValid ? [previousSealed] : [])].map(each => secrets.open(each, contextOf(agentId)))
}

export const deleteWebhookSecret = async (tx: Tx, agentId: string): Promise<void> => {
  await tx.run(statements.deleteSecrets([agentId]))
}
