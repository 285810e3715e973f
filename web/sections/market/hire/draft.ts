import type { Agent, NegotiateRequest } from '../../../api/schema.d.ts'
import { fieldsOf, type Field } from '../json-schema.ts'
import { hasListedPrice } from '../price.ts'

export const CRITERION_KINDS = ['rubric', 'url', 'file', 'json-schema'] as const
export type CriterionKind = (typeof CRITERION_KINDS)[number]

/** A condition of acceptance as the form has it; only the fields of its kind count. */
export interface CriterionDraft {
  id: string
  kind: CriterionKind
  text: string
  url: string
  fileType: string
  maxMegabytes: number | ''
}

export interface MilestoneDraft {
  id: string
  title: string
  amount: number | ''
}

/** What the hire form holds. */
export interface HireDraft {
  description: string
  /** A choice that was cleared is null. */
  input: Record<string, string | number | boolean | null>
  budget: 'listed' | 'offer'
  amount: number | ''
  /** A day, as `2026-11-30`; empty without a deadline. */
  deliverBy: string
  criteria: CriterionDraft[]
  milestones: MilestoneDraft[]
}

let count = 0
/** Identifies a row of the form; rows have no id in the API. Rows of before a reload have another time. */
const rowId = (): string => `row${Date.now()}-${count++}`
export const newCriterion = (): CriterionDraft => ({
  id: rowId(),
  kind: 'rubric',
  text: '',
  url: '',
  fileType: 'application/pdf',
  maxMegabytes: '',
})
export const newMilestone = (): MilestoneDraft => ({ id: rowId(), title: '', amount: '' })

export function emptyDraft({ pricing, inputSchema }: Agent): HireDraft {
  const initial = fieldsOf(inputSchema).map(({ key, type, initial: value }) => [
    key,
    typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
      ? value
      : type === 'boolean'
        ? false
        : '',
  ])
  return {
    description: '',
    input: Object.fromEntries(initial) as HireDraft['input'],
    budget: hasListedPrice(pricing) ? 'listed' : 'offer',
    amount: pricing.amount > 0 ? pricing.amount : '',
    deliverBy: '',
    criteria: [],
    milestones: [],
  }
}

export const priceOfDraft = ({ budget, amount }: HireDraft, { pricing }: Agent): number =>
  budget === 'listed' ? pricing.amount : Number(amount)

/** Whether the payment can be made at once: the price is the listed one, and nothing has to be agreed. */
export const isPaidAtOnce = (draft: HireDraft, { pricing }: Agent): boolean =>
  draft.budget === 'listed' &&
  pricing.currency === 'USD' &&
  !draft.deliverBy &&
  draft.criteria.length === 0 &&
  draft.milestones.length === 0

/** The values of the fields that the agent asks for; undefined if it asks for none. */
export function inputOf({ input }: HireDraft, { inputSchema }: Agent): Record<string, unknown> | undefined {
  const fields = fieldsOf(inputSchema)
  const values = fields.flatMap(field => {
    const value = valueOf(field, input[field.key])
    return value === undefined ? [] : [[field.key, value] as const]
  })
  return fields.length > 0 ? Object.fromEntries(values) : undefined
}

function valueOf({ type, itemType }: Field, value: HireDraft['input'][string] | undefined): unknown {
  if (value === '' || value === undefined || value === null) return undefined
  if (typeof value !== 'string') return value
  if (type === 'object') return jsonOr(value)
  if (type !== 'array') return value
  const lines = value
    .split('\n')
    .map(line => line.trim())
    .filter(Boolean)
  return itemType === 'string' ? lines : lines.map(jsonOr)
}

/** What a text stands for; the text itself if it is no JSON, which the API refuses with a reason. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** One line that says what is bought, where the person wrote nothing. */
export const serviceOf = ({ description }: HireDraft, { name }: Agent): string => description.trim() || name

/** The offer that the form makes. */
export function offerOf(draft: HireDraft, agent: Agent): NegotiateRequest {
  const input = inputOf(draft, agent)
  const acceptance = acceptanceOf(draft.criteria, agent.outputSchema)
  const requirements = {
    ...(input ? { input } : {}),
    ...(acceptance.length > 0 ? { acceptance } : {}),
  }
  return {
    responderAgentId: agent.id,
    requestedService: serviceOf(draft, agent),
    budget: priceOfDraft(draft, agent),
    currency: agent.pricing.currency,
    ...(Object.keys(requirements).length > 0 ? { requirements } : {}),
    ...(draft.deliverBy ? { deliverBy: endOfDay(draft.deliverBy) } : {}),
    ...(draft.milestones.length > 0
      ? {
          milestones: draft.milestones.map(({ title, amount }, index) => ({
            key: `m${index + 1}`,
            title: title.trim(),
            amount: Number(amount),
          })),
        }
      : {}),
  }
}

/** The last moment of a day where the person is. */
const endOfDay = (day: string): string => new Date(`${day}T23:59:59`).toISOString()

/** The criteria as the API takes them. `outputSchema`: that of the agent. */
export const acceptanceOf = (criteria: readonly CriterionDraft[], outputSchema?: unknown): object[] =>
  criteria.map((criterion, index) => criterionOf(criterion, `c${index + 1}`, outputSchema))

function criterionOf(criterion: CriterionDraft, key: string, outputSchema: unknown): object {
  const { kind, text, url, fileType, maxMegabytes } = criterion
  if (kind === 'rubric') return { key, kind, text: text.trim() }
  if (kind === 'url') return { key, kind, ...(url ? { url } : {}), text: text.trim() }
  if (kind === 'json-schema') return { key, kind, schema: outputSchema }
  const size = maxMegabytes === '' ? undefined : { max: Math.round(maxMegabytes * 1024 * 1024) }
  return { key, kind, type: fileType, ...(size ? { size } : {}) }
}
