import type { ChatMessage, ContentPart } from '../../core/chat.ts'
import { isRecord } from '#platform/kernel/unknown'
import { callIds } from '../call-ids.ts'
import { recordOf, stringOf } from '../usage.ts'

export type Block = { type: string; [key: string]: unknown }

/** The blocks of a text or of parts. Texts that are empty or blank are left out: the provider refuses them. */
export function blocksOf(content: ChatMessage['content']): Block[] {
  if (typeof content === 'string') return isBlank(content) ? [] : [{ type: 'text', text: content }]
  return (content ?? [])
    .flatMap(part => (THOUGHTS.has(part.type) ? thoughtsOf([part]) : [blockOf(part)]))
    .filter(({ type, text }) => type !== 'text' || !isBlank(text))
}

const isBlank = (text: unknown): boolean => typeof text === 'string' && !/\S/.test(text)

const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

/**
 * The thoughts that this provider signed or sealed. What another provider thought has no signature, and this one refuses a
 * conversation with it. Nothing else passes as a thought.
 */
export function thoughtsOf(blocks: readonly unknown[]): Block[] {
  return blocks.flatMap((block): Block[] => {
    const { type, thinking, signature, data } = recordOf(block)
    if (type === 'thinking' && typeof thinking === 'string' && stringOf(signature))
      return [{ type, thinking, signature }]
    return type === 'redacted_thinking' && stringOf(data) ? [{ type, data }] : []
  })
}

/** The mark of a message counts for its last block, unless that has one. The provider takes none on a thought. */
export function withMark(blocks: Block[], { cache_control: mark }: ChatMessage): Block[] {
  const last = blocks.findLastIndex(({ type }) => !THOUGHTS.has(type))
  return isRecord(mark)
    ? blocks.map((block, at) => (at === last ? { cache_control: mark, ...block } : block))
    : blocks
}

/** Parts that are not those of OpenAI pass through: they may be blocks of the Messages API. */
function blockOf(part: ContentPart): Block {
  const cache =
    'cache_control' in part && isRecord(part.cache_control) ? { cache_control: part.cache_control } : {}
  if (part.type === 'text') return { type: 'text', text: stringOf(part.text), ...cache }
  if (part.type === 'refusal') return { type: 'text', text: stringOf(Reflect.get(part, 'refusal')) }
  if (part.type === 'image_url')
    return { type: 'image', source: sourceOf(stringOf(recordOf(part.image_url).url)), ...cache }
  const { file } = recordOf(part)
  if (part.type === 'file' && isRecord(file))
    return { type: 'document', source: sourceOf(stringOf(file.file_data)), ...cache }
  return { ...part }
}

/** `data:` addresses become base64; others are fetched by the provider. */
function sourceOf(url: string): Record<string, unknown> {
  const data = /^data:([^;,]+)(?:;[^,]*)?,/.exec(url)
  return data
    ? { type: 'base64', media_type: data[1], data: url.slice(data[0].length) }
    : { type: 'url', url }
}

export function toolResult(message: ChatMessage): Block {
  const content = typeof message.content === 'string' ? message.content : blocksOf(message.content)
  return {
    type: 'tool_result',
    tool_use_id: callIds.anthropic(message.tool_call_id ?? ''),
    content,
    ...(message.is_error === true ? { is_error: true } : {}),
    ...(isRecord(message.cache_control) ? { cache_control: message.cache_control } : {}),
  }
}
