import type { ProgrammedAnswer } from './upstream.ts'
import { halves, type Rendered } from './wire-openai.ts'

/** The wire forms of the Messages API, as Anthropic documents it. */
export function messages(answer: ProgrammedAnswer, model: string): Rendered {
  const { usage } = answer
  const content = blocksOf(answer)
  const reason =
    answer.finish === 'length'
      ? 'max_tokens'
      : answer.refusal
        ? 'refusal'
        : answer.tools.length
          ? 'tool_use'
          : 'end_turn'
  const details = answer.refusal ? { type: 'refusal', category: null, explanation: answer.refusal } : null
  const start = {
    input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
    service_tier: 'standard',
  }
  const thinking = { output_tokens_details: { thinking_tokens: usage.reasoning } }
  const message = { id: 'msg_upstream', type: 'message', role: 'assistant', model, container: null }
  const events = [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...start, output_tokens: 1 },
      },
    },
    { type: 'ping' },
    ...content.flatMap((block, index) => blockEvents(block, index, answer)),
    {
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null, stop_details: details },
      usage: { output_tokens: usage.output, ...thinking },
    },
    { type: 'message_stop' },
  ]
  return {
    whole: {
      ...message,
      content,
      stop_reason: reason,
      stop_sequence: null,
      stop_details: details,
      usage: { ...start, output_tokens: usage.output, ...thinking },
    },
    events: events.map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  }
}

type Block = { type: string; [key: string]: unknown }

function blocksOf(answer: ProgrammedAnswer): Block[] {
  const thoughts = answer.reasoning
    ? [{ type: 'thinking', thinking: answer.reasoning, signature: 'signature-of-thoughts' }]
    : []
  if (answer.refusal) return thoughts
  if (!answer.tools.length) return [...thoughts, { type: 'text', text: answer.text, citations: null }]
  const calls = answer.tools.map((tool, at) => ({
    type: 'tool_use',
    id: `toolu_${at}`,
    name: tool.name,
    input: JSON.parse(tool.arguments) as unknown,
  }))
  return [...thoughts, ...calls]
}

function blockEvents(block: Block, index: number, answer: ProgrammedAnswer): Block[] {
  const delta = (delta: object) => ({ type: 'content_block_delta', index, delta })
  const start = (content_block: object) => ({ type: 'content_block_start', index, content_block })
  const stop = { type: 'content_block_stop', index }
  if (block.type === 'thinking')
    return [
      start({ type: 'thinking', thinking: '', signature: '' }),
      delta({ type: 'thinking_delta', thinking: block.thinking }),
      delta({ type: 'signature_delta', signature: block.signature }),
      stop,
    ]
  if (block.type === 'text')
    return [
      start({ type: 'text', text: '', citations: null }),
      ...answer.pieces.map(text => delta({ type: 'text_delta', text })),
      stop,
    ]
  const args = JSON.stringify(block.input)
  const parts = args === '{}' ? [''] : halves(args)
  return [
    start({ ...block, input: {} }),
    ...parts.map(partial_json => delta({ type: 'input_json_delta', partial_json })),
    stop,
  ]
}
