import type { Certificate } from '#trust'
import type { Queryable } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { validCertificates } from './sql.ts'

/** Implementation of `trust.certificates`: what the passport of an agent shows, and its score counts. */
export const readValidCertificates =
  ({ clock }: Pick<Services, 'clock'>) =>
  async (q: Queryable, { agentId }: { agentId: string }): Promise<Certificate[]> =>
    (await q.rows(validCertificates(agentId, clock.now()))).map(
      ({ suite, score, certificateId, ...evidence }) => ({
        certification: {
          benchmark_track: suite,
          score,
          passed: true,
          verified_at: evidence.verifiedAt.toISOString(),
          certificate_id: certificateId,
        },
        ...evidence,
      }),
    )
