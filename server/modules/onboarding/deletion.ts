import { Type } from 'typebox'
import { demandStepUp, eraseAccount } from '#identity'
import { faultTable, fault } from '#platform/fault'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'

const ONBOARDING = faultTable({ PHRASE_MISMATCH: [400, 'confirmPhrase mismatch'] })
const PHRASE = 'DELETE MY ACCOUNT'

/** The end of an account. */
export function deletionRoute(app: App, services: Services): void {
  route(app, {
    method: 'DELETE',
    url: '/users/me',
    id: 'deleteOwnAccount',
    tag: 'Account',
    summary: 'Delete your account',
    auth: 'jwt',
    body: Type.Object({
      confirmPhrase: Type.Optional(
        Type.String({ maxLength: 200, description: `Exactly ${PHRASE}`, examples: [PHRASE] }),
      ),
    }),
    strictBody: true,
    reply: { 204: Type.Null() },
    handle: async ({ actor, body }) => {
      if (body.confirmPhrase !== undefined && body.confirmPhrase !== PHRASE)
        throw fault(ONBOARDING.PHRASE_MISMATCH, { hint: `It must be ${PHRASE}` })
      await services.db.transaction(async tx => {
        await demandStepUp(tx, actor, tx.clock.real())
        await eraseAccount(tx, services, actor.accountId)
      })
    },
  })
}
