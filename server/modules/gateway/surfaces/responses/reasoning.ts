import type { ItemStatus } from './answer.ts'
import type { ResponsesBody } from './schema.ts'

/**
 * What the model thought: in `summary` where the caller asked for a summary, because its client looks for it there, else in
 * `content`. Some providers show all thoughts, OpenAI a summary of them and only on request.
 */
export interface ReasoningItem {
  id: string
  type: 'reasoning'
  summary: { type: 'summary_text'; text: string }[]
  content: { type: 'reasoning_text'; text: string }[]
  status: ItemStatus
}

/** `generate_summary` is its former name. */
export const summaryOf = ({ reasoning }: ResponsesBody): string | null =>
  reasoning?.summary ?? reasoning?.generate_summary ?? null

export const isSummarized = (body: ResponsesBody): boolean => summaryOf(body) !== null

export const reasoningItem = (
  id: string,
  text: string,
  { status, summarized }: { status: ItemStatus; summarized: boolean },
): ReasoningItem => ({
  id,
  type: 'reasoning',
  summary: summarized ? [{ type: 'summary_text', text }] : [],
  content: summarized ? [] : [{ type: 'reasoning_text', text }],
  status,
})

interface ItemEvent {
  type: string
  fields: Record<string, unknown>
}

/** The events of the one part of an item; `add` appends to its text. */
export const thoughtEvents = {
  begin: (item: ReasoningItem): ItemEvent => partEvent(item, 'added'),
  add(item: ReasoningItem, delta: string): ItemEvent {
    const [part] = partsOf(item)
    if (part) part.text += delta
    return textEvent(item, 'delta', { delta })
  },
  end(item: ReasoningItem): ItemEvent[] {
    const [part] = partsOf(item)
    return [textEvent(item, 'done', { text: part?.text ?? '' }), partEvent(item, 'done')]
  },
}

const partsOf = ({ summary, content }: ReasoningItem) => (summary.length ? summary : content)
const placeOf = ({ summary }: ReasoningItem) => (summary.length ? { summary_index: 0 } : { content_index: 0 })

function partEvent(item: ReasoningItem, change: 'added' | 'done'): ItemEvent {
  const kind = item.summary.length ? 'reasoning_summary_part' : 'content_part'
  return { type: `response.${kind}.${change}`, fields: { ...placeOf(item), part: { ...partsOf(item)[0] } } }
}

function textEvent(item: ReasoningItem, change: 'delta' | 'done', text: Record<string, string>): ItemEvent {
  const kind = item.summary.length ? 'reasoning_summary_text' : 'reasoning_text'
  return { type: `response.${kind}.${change}`, fields: { ...placeOf(item), ...text } }
}
