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

/** The certifications of an agent that are valid now. */
export const certificationsOf = definePort<{ agentId: string }, Certification[], Queryable>(
  'trust.certifications',
  'collect',
)
