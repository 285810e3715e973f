import type { Tx } from '#platform/db'
import { SCOPES, type Scope } from '#platform/http/actor'
import { newId } from '#platform/id'
import { addKey } from './key-life.ts'
import * as statements from './sql/keys.ts'
import type { ServiceAccount } from './sql/keys.ts'

export interface NewServiceAccount {
  accountId: string
  name: string
  description?: string
  /** All by default. */
  scopes?: readonly Scope[]
  agentId?: string
  /** Business time. */
  expiresAt?: Date
}

/** A service account with its first `sk_` key, whose text is shown this once. */
export async function createServiceAccount(tx: Tx, input: NewServiceAccount): Promise<{ serviceAccount: ServiceAccount; apiKey: string }> {
  const id = newId()
  await tx.run(statements.insertServiceAccount({
    id, accountId: input.accountId, agentId: input.agentId ?? null, name: input.name, description: input.description ?? '',
    scopes: input.scopes ?? SCOPES, expiresAt: input.expiresAt ?? null, now: tx.now,
  }))
  const place = { accountId: input.accountId, serviceAccountId: id, kind: 'sk' as const, agentId: null }
  const { apiKey } = await addKey(tx, place, { actorId: input.accountId, actorKind: 'account' })
  return { serviceAccount: await tx.one(statements.serviceAccountById(id)), apiKey }
}
