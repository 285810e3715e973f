import type { FormErrors } from '@mantine/form'
import { asProblem } from '../../../api/problem.ts'
import type { Agent, UpdateAgentRequest } from '../../../api/schema.d.ts'
import { t } from '../../../texts/text.ts'
import { sampleDraftsOf, withExamples, withoutExamples, type SampleDraft } from './samples.ts'
import { draftOf, isSame, schemaOf, type SchemaDraft } from './schema-draft.ts'

export const PRICING_MODELS = ['fixed', 'per_call', 'hourly', 'custom'] as const
export const VISIBILITIES = ['PUBLIC', 'UNLISTED', 'PRIVATE'] as const
export const CURRENCIES = ['USD', 'USDC'] as const

export interface AgentValues {
  name: string
  slug: string
  description: string
  categories: string[]
  tags: string[]
  capabilities: string[]
  fulfillmentTypes: string[]
  model: (typeof PRICING_MODELS)[number]
  amount: string | number
  currency: (typeof CURRENCIES)[number]
  visibility: (typeof VISIBILITIES)[number]
  ap2Endpoint: string
  inputSchema: SchemaDraft
  outputSchema: SchemaDraft
  samples: readonly SampleDraft[]
}

/** What the form shows of an agent, or of a new one. */
export const valuesOf = (agent?: Agent): AgentValues => ({
  name: agent?.name ?? '',
  slug: agent?.slug ?? '',
  description: agent?.description ?? '',
  categories: agent?.categories ?? [],
  tags: agent?.tags ?? [],
  capabilities: agent?.capabilities ?? [],
  fulfillmentTypes: agent?.fulfillmentTypes ?? [],
  model: agent?.pricing.model ?? 'fixed',
  amount: agent?.pricing.amount ?? '',
  currency: agent?.pricing.currency ?? 'USD',
  visibility: agent?.visibility ?? 'PUBLIC',
  ap2Endpoint: agent?.ap2Endpoint ?? '',
  inputSchema: draftOf(withoutExamples(agent?.inputSchema)),
  outputSchema: draftOf(withoutExamples(agent?.outputSchema)),
  samples: sampleDraftsOf(agent),
})

/** The body that creates an agent, or changes it from `before`: a schema without a change is left out. */
export function bodyOf(values: AgentValues, before?: AgentValues): UpdateAgentRequest & { name: string } {
  const { model, amount, currency, slug, ap2Endpoint } = values
  const { name, description, categories, tags, capabilities, fulfillmentTypes, visibility } = values
  return {
    name: name.trim(),
    description,
    categories,
    tags,
    capabilities,
    fulfillmentTypes,
    visibility,
    ...(slug ? { slug } : {}),
    // The price as the person wrote it: a number would round what has many digits.
    pricing: { model, amount: String(amount || 0), currency },
    ap2Endpoint: ap2Endpoint.trim() || null,
    ...schemasOf(values, before),
  }
}

function schemasOf(
  values: AgentValues,
  before?: AgentValues,
): Pick<UpdateAgentRequest, 'inputSchema' | 'outputSchema'> {
  const input = schemaWithSamples(values, 'input')
  const output = schemaWithSamples(values, 'output')
  return {
    ...(before && isSame(input, schemaWithSamples(before, 'input')) ? {} : { inputSchema: input }),
    ...(before && isSame(output, schemaWithSamples(before, 'output')) ? {} : { outputSchema: output }),
  }
}

const schemaWithSamples = (values: AgentValues, side: 'input' | 'output') =>
  withExamples(schemaOf(values[`${side}Schema`]) ?? null, values.samples, side)

const SLUG = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/
const tooMany = (words: readonly string[], most: number, longest: number) =>
  words.length > most
    ? t('selling.invalid.many', { most })
    : words.some(word => word.length > longest)
      ? t('selling.invalid.long', { longest })
      : null
const noSchema = (draft: SchemaDraft) => (schemaOf(draft) === undefined ? t('selling.invalid.json') : null)

/** The same rules as the API, so that a refusal is rare. */
export const RULES = {
  name: (name: string) => (name.trim() ? null : t('selling.invalid.name')),
  slug: (slug: string) =>
    slug && (slug.length < 3 || slug.length > 80 || !SLUG.test(slug)) ? t('selling.invalid.slug') : null,
  categories: (words: string[]) => tooMany(words, 10, 50),
  tags: (words: string[]) => tooMany(words, 20, 50),
  capabilities: (words: string[]) => tooMany(words, 50, 100),
  fulfillmentTypes: (words: string[]) => tooMany(words, 20, 50),
  amount: (amount: string | number) =>
    /^(?:\d{1,12}(?:\.\d{1,6})?)?$/.test(String(amount)) ? null : t('selling.invalid.amount'),
  ap2Endpoint: (url: string) =>
    !url.trim() || (/^https?:\/\//.test(url.trim()) && URL.canParse(url.trim()))
      ? null
      : t('selling.invalid.url'),
  inputSchema: noSchema,
  outputSchema: noSchema,
}

const FIELDS = Object.keys(valuesOf())
const FIELD_OF_CODE: Readonly<Record<string, string>> = { SLUG_TAKEN: 'slug', AMOUNT_INVALID: 'amount' }

/** A refusal of the API at the fields that it names; null if it names none of the form. */
export function errorsOf(error: unknown): FormErrors | null {
  const { code, messages } = asProblem(error)
  const coded = FIELD_OF_CODE[code]
  if (coded) return { [coded]: messages.join(' ') }
  const errors: FormErrors = {}
  for (const text of messages) {
    const [path = ''] = text.split(' ')
    const name = path.startsWith('pricing.') ? path.slice('pricing.'.length) : path.split('.')[0]
    const field = FIELDS.find(each => each === name)
    if (!field) return null
    errors[field] = text
  }
  return errors
}
