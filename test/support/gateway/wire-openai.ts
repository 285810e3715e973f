import type { ProgrammedAnswer, ProgrammedUsage } from './upstream.ts'

/** The wire forms of chat completions, responses and embeddings, as the API of OpenAI documents them. */

const CREATED = 1_767_225_600

export interface Rendered {
  whole: object
  /** Texts of the stream, one for each event. */
  events: string[]
}

const sse = (data: object | string, name?: string): string =>
  `${name ? `event: ${name}\n` : ''}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`

const chatUsage = (usage: ProgrammedUsage) => ({
  prompt_tokens: usage.input,
  completion_tokens: usage.output,
  total_tokens: usage.input + usage.output,
  prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
  completion_tokens_details: { reasoning_tokens: usage.reasoning },
})

export function chat(answer: ProgrammedAnswer, model: string, choices: number): Rendered {
  const head = { id: 'chatcmpl-upstream', created: CREATED, model, system_fingerprint: 'fp_test' }
  const calls = answer.tools.map((tool, at) => ({
    id: `call_up_${at}`,
    type: 'function',
    function: { name: tool.name, arguments: tool.arguments },
  }))
  const message = {
    role: 'assistant',
    content: calls.length || answer.refusal ? null : answer.text,
    refusal: answer.refusal,
    ...(answer.reasoning ? { reasoning_content: answer.reasoning } : {}),
    ...(calls.length ? { tool_calls: calls } : {}),
  }
  const finish = answer.finish === 'length' ? 'length' : calls.length ? 'tool_calls' : 'stop'
  const indexes = Array.from({ length: choices }, (_, index) => index)
  const chunk = (index: number, delta: object, finish_reason: string | null = null) =>
    sse({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index, delta, logprobs: null, finish_reason }],
      usage: null,
    })
  return {
    whole: {
      ...head,
      object: 'chat.completion',
      choices: indexes.map(index => ({ index, message, logprobs: null, finish_reason: finish })),
      usage: chatUsage(answer.usage),
    },
    events: [
      ...indexes.flatMap(index => [
        chunk(index, { role: 'assistant', content: '', refusal: null }),
        ...chatDeltas(answer).map(delta => chunk(index, delta)),
        chunk(index, {}, finish),
      ]),
      sse({ ...head, object: 'chat.completion.chunk', choices: [], usage: chatUsage(answer.usage) }),
      sse('[DONE]'),
    ],
  }
}

function chatDeltas(answer: ProgrammedAnswer): object[] {
  const thoughts = answer.reasoning ? [{ reasoning_content: answer.reasoning }] : []
  if (answer.refusal) return [...thoughts, { refusal: answer.refusal }]
  if (!answer.tools.length) return [...thoughts, ...answer.pieces.map(content => ({ content }))]
  const deltas = answer.tools.flatMap((tool, index) => [
    {
      tool_calls: [
        { index, id: `call_up_${index}`, type: 'function', function: { name: tool.name, arguments: '' } },
      ],
    },
    ...halves(tool.arguments).map(half => ({ tool_calls: [{ index, function: { arguments: half } }] })),
  ])
  return [...thoughts, ...deltas]
}

export const halves = (text: string): string[] => {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter(Boolean)
}

export function responses(answer: ProgrammedAnswer, model: string): Rendered {
  const output = responseItems(answer)
  const isCut = answer.finish === 'length'
  const frame = (status: string, items: object[]) => ({
    id: 'resp_upstream',
    object: 'response',
    created_at: CREATED,
    status,
    error: null,
    incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    instructions: null,
    metadata: {},
    model,
    output: items,
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    usage: status === 'in_progress' ? null : responseUsage(answer.usage),
  })
  const end = isCut ? 'incomplete' : 'completed'
  const events = [
    { type: 'response.created', response: frame('in_progress', []) },
    { type: 'response.in_progress', response: frame('in_progress', []) },
    ...output.flatMap((item, at) => itemEvents(item, at, answer)),
    { type: `response.${end}`, response: frame(end, output) },
  ]
  return {
    whole: frame(end, output),
    events: events.map((event, at) => sse({ ...event, sequence_number: at }, event.type)),
  }
}

const responseUsage = (usage: ProgrammedUsage) => ({
  input_tokens: usage.input,
  input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
  output_tokens: usage.output,
  output_tokens_details: { reasoning_tokens: usage.reasoning },
  total_tokens: usage.input + usage.output,
})

function responseItems(answer: ProgrammedAnswer): { id: string; type: string; [key: string]: unknown }[] {
  const part = answer.refusal
    ? { type: 'refusal', refusal: answer.refusal }
    : { type: 'output_text', text: answer.text, annotations: [], logprobs: [] }
  const summary = [{ type: 'summary_text', text: answer.reasoning }]
  return [
    ...(answer.reasoning ? [{ id: 'rs_0', type: 'reasoning', summary }] : []),
    ...(answer.tools.length
      ? answer.tools.map((tool, at) => ({
          id: `fc_${at}`,
          type: 'function_call',
          status: 'completed',
          call_id: `call_up_${at}`,
          name: tool.name,
          arguments: tool.arguments,
        }))
      : [{ id: 'msg_0', type: 'message', role: 'assistant', status: 'completed', content: [part] }]),
  ]
}

function itemEvents(
  item: { id: string; type: string; [key: string]: unknown },
  output_index: number,
  answer: ProgrammedAnswer,
): { type: string; [key: string]: unknown }[] {
  const at = { item_id: item.id, output_index }
  const added = { type: 'response.output_item.added', output_index }
  const done = { type: 'response.output_item.done', output_index, item }
  if (item.type === 'reasoning') {
    const where = { ...at, summary_index: 0 }
    const part = (text: string) => ({ type: 'summary_text', text })
    return [
      { ...added, item: { ...item, summary: [] } },
      { type: 'response.reasoning_summary_part.added', ...where, part: part('') },
      { type: 'response.reasoning_summary_text.delta', ...where, delta: answer.reasoning },
      { type: 'response.reasoning_summary_text.done', ...where, text: answer.reasoning },
      { type: 'response.reasoning_summary_part.done', ...where, part: part(answer.reasoning) },
      done,
    ]
  }
  if (item.type === 'function_call') {
    const deltas = halves(String(item.arguments)).map(delta => ({
      type: 'response.function_call_arguments.delta',
      ...at,
      delta,
    }))
    const end = { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments }
    return [{ ...added, item: { ...item, arguments: '', status: 'in_progress' } }, ...deltas, end, done]
  }
  const where = { ...at, content_index: 0 }
  const [part] = item.content as object[]
  const empty = answer.refusal ? { ...part, refusal: '' } : { ...part, text: '' }
  const deltas = answer.refusal
    ? [
        { type: 'response.refusal.delta', ...where, delta: answer.refusal },
        { type: 'response.refusal.done', ...where, refusal: answer.refusal },
      ]
    : [
        ...answer.pieces.map(delta => ({
          type: 'response.output_text.delta',
          ...where,
          delta,
          logprobs: [],
        })),
        { type: 'response.output_text.done', ...where, text: answer.text, logprobs: [] },
      ]
  return [
    { ...added, item: { ...item, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...where, part: empty },
    ...deltas,
    { type: 'response.content_part.done', ...where, part },
    done,
  ]
}

export function embeddings(body: Record<string, unknown>, usage: ProgrammedUsage): object {
  const count = Array.isArray(body.input) && typeof body.input[0] !== 'number' ? body.input.length : 1
  const vector = [0.6, 0.8]
  const embedding =
    body.encoding_format === 'base64'
      ? Buffer.from(new Float32Array(vector).buffer).toString('base64')
      : vector
  return {
    object: 'list',
    data: Array.from({ length: count }, (_, index) => ({ object: 'embedding', index, embedding })),
    model: body.model,
    usage: { prompt_tokens: usage.input, total_tokens: usage.input },
  }
}
