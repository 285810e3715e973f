import { given, oneOf, textParam } from '../../parts/search-params.ts'

/** How far back the charts of usage look. */
export const PERIODS = ['7d', '30d', '90d'] as const
export type Period = (typeof PERIODS)[number]

export const OUTCOMES = ['completed', 'partial', 'cancelled', 'failed', 'cached'] as const

export interface RequestSearch {
  search?: string | undefined
  model?: string | undefined
  key?: string | undefined
  outcome?: (typeof OUTCOMES)[number] | undefined
  /** First day, in the time zone of the browser. */
  from?: string | undefined
  cursor?: string | undefined
}

const dayParam = (value: unknown): string | undefined => {
  const text = textParam(value)
  return text && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined
}

export const requestSearch = ({
  search,
  model,
  key,
  outcome,
  from,
  cursor,
}: Record<string, unknown>): RequestSearch =>
  given({
    search: textParam(search),
    model: textParam(model),
    key: textParam(key),
    outcome: oneOf(OUTCOMES, outcome),
    from: dayParam(from),
    cursor: textParam(cursor),
  })
