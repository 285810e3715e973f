import { dayFigures, openWork } from '#overview'
import type { App } from '#platform/http/operations'
import { after, HOUR, MINUTE } from '#platform/kernel/clock'
import { Loop } from '#platform/kernel/background/loop'
import { defineModule } from '#platform/kernel/module'
import type { Services } from '#platform/kernel/services'
import { part } from '#platform/kernel/sql'
import { expireApproval } from './approvals/approval.ts'
import { promoteApprovedAccount } from './administration/admin.ts'
import { identityConstraints } from './errors.ts'
import { clearCachesOfChangedCredentials } from './credentials/authenticator.ts'
import { credentialsChanged } from './events.ts'
import { agentBinding, approvalExecutor, routingKeyProof } from './ports.ts'
import { ensureFirstAdmin } from './administration/first-admin.ts'
import { mailRequestJob } from './mail/mail-request.ts'
import { countPendingApprovals, signUpsByDay } from './administration/people-sql.ts'
import { peopleRoutes } from './administration/people-routes.ts'
import { adminRoutes } from './administration/routes.ts'
import { approvalRoutes } from './approvals/routes.ts'
import { authRoutes } from './sign-in/routes.ts'
import { challengeRoutes } from './sign-in/challenge-routes.ts'
import { exchangeRoutes } from './sign-in/exchange-routes.ts'
import { magicLinkRoutes } from './sign-in/magic-link-routes.ts'
import { mfaRoutes } from './mfa/routes.ts'
import { oidcRoutes } from './sign-in/identity-provider/routes.ts'
import { organizationRoutes } from './organizations/routes.ts'
import { profileRoutes } from './profile/routes.ts'
import { serviceAccountRoutes } from './service-accounts/routes.ts'
import { stepUpRoutes } from './mfa/step-up-routes.ts'
import { passwordResetRoutes, verificationRoutes } from './sign-in/verification-routes.ts'
import { REFRESH_LIFE } from './credentials/session.ts'
import { sweepLinks } from './mail/sql.ts'
import { sweepRefreshTokens, sweepSessions } from './credentials/session-sql.ts'
import { openTokenKey } from './credentials/token.ts'
import { documentKeysOf } from './signing/document-keys.ts'
import { signingRoutes } from './signing/routes.ts'

export default defineModule({
  name: 'identity',
  constraints: identityConstraints,
  ports: [agentBinding, approvalExecutor, routingKeyProof],
  create(services) {
    const documentKeys = documentKeysOf(services)
    const keyReader = new Loop('document keys', MINUTE, services.log, () => documentKeys.refresh())
    const sweeper = new Loop('sign-in housekeeping', HOUR, services.log, () => sweep(services))
    return {
      routes: app => identityRoutes(app, services),
      timers: [
        {
          name: 'approval expiry',
          table: 'identity_approval',
          column: 'expires_at',
          where: part`status = 'PENDING'`,
          run: expireApproval,
        },
      ],
      jobs: [mailRequestJob(services)],
      subscribes: [credentialsChanged.with(tx => clearCachesOfChangedCredentials(tx, services))],
      provides: [
        approvalExecutor.with('account.role', (tx, approved) =>
          promoteApprovedAccount(tx, approved, services),
        ),
        openWork.with('approvals', async q => (await q.one(countPendingApprovals())).count),
        dayFigures.with((q, { from }) => q.rows(signUpsByDay(from))),
      ],
      async start() {
        await openTokenKey(services)
        await documentKeys.refresh()
        await ensureFirstAdmin(services)
        keyReader.start()
        sweeper.start()
      },
      async stop() {
        await Promise.all([keyReader.stop(), sweeper.stop()])
      },
    }
  },
})

function identityRoutes(app: App, services: Services): void {
  authRoutes(app, services)
  signingRoutes(app, services)
  challengeRoutes(app, services)
  verificationRoutes(app, services)
  passwordResetRoutes(app, services)
  magicLinkRoutes(app, services)
  mfaRoutes(app, services)
  stepUpRoutes(app, services)
  exchangeRoutes(app, services)
  oidcRoutes(app, services)
  profileRoutes(app, services)
  serviceAccountRoutes(app, services)
  organizationRoutes(app, services)
  adminRoutes(app, services)
  peopleRoutes(app)
  approvalRoutes(app, services)
}

async function sweep({ db, clock }: Services): Promise<void> {
  const real = clock.real()
  await db.run(sweepLinks(real))
  await db.run(sweepRefreshTokens(real))
  await db.run(sweepSessions(after(real, -REFRESH_LIFE)))
}
