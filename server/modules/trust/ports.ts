import type { Queryable } from '#platform/kernel/db'
import { definePort } from '#platform/kernel/ports'

/** A benchmark that an agent passed or failed, as its passport shows it. */
export interface Certification {
  benchmark_track: string
  /** 0 to 100. */
  score: number
  passed: boolean
  verified_at: string
  certificate_id: string
}

/** A certificate with what its weight in the score follows from. */
export interface Certificate {
  certification: Certification
  /** How many tasks were given, and how many of them passed. */
  tasks: number
  passedTasks: number
  verifiedAt: Date
  expiresAt: Date
}

/** The certificates of an agent that are valid now, one for each suite. */
export const certificatesOf = definePort<{ agentId: string }, Certificate[], Queryable>(
  'trust.certificates',
  'collect',
)

export const readCertificates = async (q: Queryable, agentId: string): Promise<Certificate[]> =>
  (await certificatesOf.call(q, { agentId })).flat()

/** The same as the passport shows them. */
export const readCertifications = async (q: Queryable, agentId: string): Promise<Certification[]> =>
  (await readCertificates(q, agentId)).map(({ certification }) => certification)
