import type { Certification } from '#trust'
import type { Queryable } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { validCertificates } from './sql.ts'

/** Implementation of `trust.certifications`: what the passport of an agent shows. */
export const certificatesOf =
  ({ clock }: Pick<Services, 'clock'>) =>
  async (q: Queryable, { agentId }: { agentId: string }): Promise<Certification[]> =>
    (await q.rows(validCertificates(agentId, clock.now()))).map(
      ({ suite, score, verifiedAt, certificateId }) => ({
        benchmark_track: suite,
        score,
        passed: true,
        verified_at: verifiedAt.toISOString(),
        certificate_id: certificateId,
      }),
    )
