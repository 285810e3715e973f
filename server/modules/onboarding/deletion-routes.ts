import { ledgerErrors } from '#ledger'
import { Type } from '#platform/http/type'
import { command, type App } from '#platform/http/operations'
import { errorTable, apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { closeOwnOrganization, deleteAccount } from './delete-account.ts'

const ONBOARDING = errorTable({ PHRASE_MISMATCH: [400, 'confirmPhrase mismatch'] })
const PHRASE = 'DELETE MY ACCOUNT'

function explainFrozen(cause: unknown): never {
  if (!ledgerErrors.isFrozen(cause)) throw cause
  throw apiError(ledgerErrors.LEDGER.ACCOUNT_FROZEN, {
    hint: 'A bank disputes a card payment of this account, and its money is frozen until the bank decides: delete the account then',
    cause,
  })
}

/** Delete an account, close an organization. */
export function deletionRoutes(app: App, services: Services): void {
  command(app, {
    method: 'DELETE',
    url: '/users/me',
    id: 'deleteOwnAccount',
    tag: 'Account',
    summary: 'Delete your account',
    access: { accept: ['jwt'] },
    body: Type.Object({
      confirmPhrase: Type.Optional(
        Type.String({ maxLength: 200, description: `Exactly ${PHRASE}`, examples: [PHRASE] }),
      ),
    }),
    strictBody: true,
    errors: [409],
    success: 204,
    async run(tx, ctx, { body }) {
      if (body.confirmPhrase !== undefined && body.confirmPhrase !== PHRASE)
        throw apiError(ONBOARDING.PHRASE_MISMATCH, { hint: `It must be ${PHRASE}` })
      await deleteAccount(tx, services, ctx).catch(explainFrozen)
    },
  })
  command(app, {
    method: 'DELETE',
    url: '/organizations/{slug}',
    id: 'closeOrganization',
    tag: 'Organizations',
    summary: 'Close an empty organization',
    description:
      'Only for its OWNER, and only without other members and money. This cannot be undone; the slug is free again. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes.',
    access: { accept: ['jwt'] },
    errors: [409],
    params: Type.Object({ slug: Type.String({ maxLength: 200 }) }),
    success: 204,
    run: (tx, ctx, { params }) => closeOwnOrganization(tx, ctx, params),
  })
}
