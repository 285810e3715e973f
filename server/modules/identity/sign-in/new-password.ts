import { audit, type Author } from '#platform/kernel/audit'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import type { Account } from '../account/account.ts'
import { setPassword } from '../account/sql.ts'
import { endSessions } from '../credentials/session.ts'
import { endLinks } from '../mail/link.ts'
import { notifyOwner } from '../mail/notify-owner.ts'
import { revokeUnboundKeys } from '../service-accounts/service-account.ts'

export interface NewPassword {
  passwordHash: string
  /** True: the unbound `sk_` keys of the account are revoked too. */
  revokeApiKeys?: boolean
}

/** Sets a password that was requested by mail. All sessions and links of the account end, and its owner is notified. */
export async function takeNewPassword(
  tx: Tx,
  author: Author,
  { account, passwordHash, revokeApiKeys }: NewPassword & { account: Account },
  services: Pick<Services, 'jobs' | 'secrets'>,
): Promise<void> {
  await tx.run(setPassword(account.id, passwordHash, tx.now))
  await endSessions(tx, account.id, 'password_reset')
  await endLinks(tx, account.id)
  if (revokeApiKeys) await revokeUnboundKeys(tx, author, account.id)
  await audit(tx, author, 'account.password_reset', { target: ['account', account.id] })
  await notifyOwner(tx, services, account, 'The password of your account was changed.')
}
