import { certificatesOf } from '#trust'
import { Dialer } from '#platform/adapters/egress/dialer'
import { defineModule } from '#platform/kernel/module'
import { readValidCertificates } from './certificates.ts'
import { endLateRun } from './runs/runs.ts'
import { Workers } from './runs/work.ts'
import { certificationRoutes } from './routes.ts'
import { RUN_DEADLINE } from './sql.ts'

export default defineModule({
  name: 'certification',
  create: services => {
    const { VERIFIER_ALLOW_PRIVATE: allowPrivate, sandbox: namesSetting } = services.config
    const workers = new Workers(services, new Dialer({ allowPrivate, namesSetting }))
    return {
      provides: [certificatesOf.with(readValidCertificates(services))],
      routes: app => certificationRoutes(app, services),
      timers: [
        workers.timer(),
        {
          name: 'certification run late',
          table: 'certification_run',
          column: 'deadline_at',
          where: RUN_DEADLINE,
          run: endLateRun,
        },
      ],
      stop: () => workers.close(),
    }
  },
})
