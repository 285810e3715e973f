import { after, HOUR } from '#platform/clock'
import { Loop } from '#platform/loop'
import type { Module, Services } from '#platform/services'
import { part } from '#platform/sql'
import { expireApproval } from './approval.ts'
import { identityConstraints } from './faults.ts'
import { ensureFirstAdmin } from './first-admin.ts'
import { mailRequestJob } from './mail-request.ts'
import { adminRoutes } from './routes/admin.ts'
import { approvalRoutes } from './routes/approvals.ts'
import { authRoutes } from './routes/auth.ts'
import { challengeRoutes } from './routes/challenge.ts'
import { exchangeRoutes } from './routes/exchange.ts'
import { magicLinkRoutes } from './routes/magic-link.ts'
import { mfaRoutes } from './routes/mfa.ts'
import { oidcRoutes } from './routes/oidc.ts'
import { organizationRoutes } from './routes/organizations.ts'
import { profileRoutes } from './routes/profile.ts'
import { serviceAccountRoutes } from './routes/service-accounts.ts'
import { stepUpRoutes } from './routes/step-up.ts'
import { passwordResetRoutes, verificationRoutes } from './routes/verification.ts'
import { REFRESH_LIFE } from './session.ts'
import { sweepLinks } from './sql/links.ts'
import { sweepRefreshTokens, sweepSessions } from './sql/sessions.ts'
import { tokensOf } from './token.ts'

const sweepers = new WeakMap<Services, Loop>()

export const identityModule: Module = {
  name: 'identity',
  constraints: identityConstraints,
  routes(app, services) {
    authRoutes(app, services)
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
    approvalRoutes(app, services)
  },
  timers: () => [
    {
      name: 'approval expiry',
      table: 'identity_approval',
      column: 'expires_at',
      where: part`status = 'PENDING'`,
      act: expireApproval,
    },
  ],
  jobs: services => [mailRequestJob(services)],
  async start(services) {
    await tokensOf(services)
    await ensureFirstAdmin(services)
    const sweeper = new Loop('sign-in housekeeping', HOUR, services.log, () => sweep(services))
    sweepers.set(services, sweeper)
    sweeper.start()
  },
  async stop(services) {
    await sweepers.get(services)?.stop()
  },
}

async function sweep({ db, clock }: Services): Promise<void> {
  const real = clock.real()
  await db.run(sweepLinks(real))
  await db.run(sweepRefreshTokens(real))
  await db.run(sweepSessions(after(real, -REFRESH_LIFE)))
}
