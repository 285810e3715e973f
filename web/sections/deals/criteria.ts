import type { AcceptanceCriterion } from '../../api/schema.d.ts'
import { bytesInWords, number } from '../../parts/format.ts'
import { t, type TextKey } from '../../texts/text.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A criterion as a person would say it, with its milestone and its weight where it has some. */
export function criterionInWords(
  criterion: AcceptanceCriterion,
  milestones: readonly { key: string; title: string }[] = [],
): string {
  const { milestoneKey: key, weight } = criterion
  const more = [
    key && t('criterion.milestone', { name: milestones.find(each => each.key === key)?.title ?? key }),
    // A need has what the buyer gave: no weight is 1.
    weight > 1 && t('criterion.weight', { weight }),
  ].filter(Boolean)
  const condition = conditionInWords(criterion)
  return more.length > 0 ? `${condition} (${more.join(', ')})` : condition
}

function conditionInWords({ kind, ...more }: AcceptanceCriterion): string {
  if (kind === 'rubric') return textOf(more.text)
  if (kind === 'url') return urlInWords(more)
  if (kind === 'file') return fileInWords(more)
  if (kind === 'checker') return t('criterion.checker', { url: textOf(more.url) })
  return t('criterion.json-schema')
}

function urlInWords({ url, text, selector, status }: Record<string, unknown>): string {
  const page = textOf(url) || t('criterion.url.delivered')
  const parts = [
    text && t('criterion.url.text', { page, text: textOf(text) }),
    selector && t('criterion.url.selector', { page, selector: textOf(selector) }),
    (typeof status === 'number' || !(text || selector)) &&
      t('criterion.url.status', { page, status: typeof status === 'number' ? status : 200 }),
  ]
  return parts.filter(Boolean).join('; ')
}

function fileInWords({ name, type, size, sha256 }: Record<string, unknown>): string {
  const kind = textOf(type)
  const parts = [
    name ? t('criterion.file.name', { name: textOf(name) }) : t('criterion.file'),
    kind && (KNOWN.has(kind) ? t(`fileType.${kind}` as TextKey) : kind),
    ...sizeInWords(size),
    sha256 && t('criterion.file.sha256', { sha256: textOf(sha256) }),
  ]
  return parts.filter(Boolean).join(', ')
}

const KNOWN = new Set([
  'application/pdf',
  'image/*',
  'text/csv',
  'application/json',
  'application/zip',
  'text/*',
])

function sizeInWords(size: unknown): string[] {
  // A need has the size as the buyer gave it: a number of bytes, or a range.
  const { min, max } =
    typeof size === 'number' ? { min: size, max: size } : ((size ?? {}) as { min?: number; max?: number })
  if (min !== undefined && min === max) return [t('criterion.file.exact', { size: `${number(min)} B` })]
  return [
    ...(min === undefined ? [] : [t('criterion.file.min', { size: bytesInWords(min) })]),
    ...(max === undefined ? [] : [t('criterion.file.max', { size: bytesInWords(max) })]),
  ]
}
