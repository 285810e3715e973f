import type { AcceptanceCriterion } from '../../api/schema.d.ts'
import { t, type TextKey } from '../../texts/text.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A criterion as a person would say it. */
export function criterionInWords(criterion: AcceptanceCriterion): string {
  const { kind, ...more } = criterion
  if (kind === 'rubric') return textOf(more.text)
  if (kind === 'url') return urlInWords(more)
  if (kind === 'file') return fileInWords(more)
  if (kind === 'checker') return t('criterion.checker', { url: textOf(more.url) })
  return t('criterion.json-schema')
}

function urlInWords({ url, text, selector, status }: Record<string, unknown>): string {
  const page = textOf(url) || t('criterion.url.delivered')
  if (text) return t('criterion.url.text', { page, text: textOf(text) })
  if (selector) return t('criterion.url.selector', { page, selector: textOf(selector) })
  return t('criterion.url.status', { page, status: typeof status === 'number' ? status : 200 })
}

function fileInWords({ name, type, size }: Record<string, unknown>): string {
  const kind = textOf(type)
  const parts = [
    name ? t('criterion.file.name', { name: textOf(name) }) : t('criterion.file'),
    kind && (KNOWN.has(kind) ? t(`fileType.${kind}` as TextKey) : kind),
    sizeInWords(size),
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

function sizeInWords(size: unknown): string {
  // A need has the size as the buyer gave it: a number of bytes, or a range.
  const { max } = typeof size === 'number' ? { max: size } : ((size ?? {}) as { max?: number })
  return max === undefined
    ? ''
    : t('criterion.file.max', { size: `${Math.round((max / 1024 / 1024) * 10) / 10} MB` })
}
