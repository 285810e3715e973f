import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { ChatChunk, ChatCompletion, FinishReason } from '../../core/chat.ts'
import type { TokenUsage } from '../../core/model.ts'
import type { UpstreamCall, UpstreamCompletion, UpstreamStream } from '../../core/upstream.ts'
import { answerOf } from './answer.ts'
import { piecesOf, promptTokens } from './tokens.ts'

/** One choice of an answer, cut at the limit of tokens. */
interface Choice {
  index: number
  tool: { id: string; name: string } | null
  /** Pieces of the text, or of the arguments of the tool call: one token each. */
  pieces: string[]
  finish: FinishReason
}

export async function simulateCompletion(call: UpstreamCall): Promise<UpstreamCompletion> {
  await setImmediate()
  call.signal?.throwIfAborted()
  const head = headOf(call)
  const choices = choicesOf(call, head.id)
  const usage = usageOf(
    call,
    choices.reduce((sum, { pieces }) => sum + pieces.length, 0),
  )
  const completion: ChatCompletion = {
    ...head,
    object: 'chat.completion',
    choices: choices.map(choice => ({
      index: choice.index,
      message: messageOf(choice),
      logprobs: null,
      finish_reason: choice.finish,
    })),
  }
  return { completion, usage }
}

/** Chunks come one at a time; between them other work of the process runs, so that a stream can be canceled. */
export async function simulateStream(call: UpstreamCall): Promise<UpstreamStream> {
  await setImmediate()
  call.signal?.throwIfAborted()
  const head = { ...headOf(call), object: 'chat.completion.chunk' as const }
  const choices = choicesOf(call, head.id)
  let sent = 0
  async function* chunks(): AsyncGenerator<readonly ChatChunk[]> {
    for (const choice of choices) {
      for (const delta of deltasOf(choice)) {
        await setImmediate()
        call.signal?.throwIfAborted()
        if (delta.counts) sent += 1
        yield [{ ...head, choices: [{ index: choice.index, logprobs: null, ...delta.choice }] }]
      }
    }
  }
  return { chunks: chunks(), usage: () => usageOf(call, sent) }
}

function headOf({ model, request }: UpstreamCall) {
  const hash = createHash('sha256').update(JSON.stringify(request)).digest('hex')
  return { id: `chatcmpl-${hash.slice(0, 24)}`, created: Math.floor(Date.now() / 1000), model: model.id }
}

function choicesOf({ model, request, maxTokens }: UpstreamCall, id: string): Choice[] {
  const { content, tool } = answerOf(request, model.id)
  const whole = piecesOf(tool ? tool.arguments : (content ?? ''))
  const isCut = whole.length > maxTokens
  const finish = isCut ? 'length' : tool ? 'tool_calls' : 'stop'
  return Array.from({ length: request.n ?? 1 }, (_, index) => ({
    index,
    tool: tool && { id: `call_${id.slice(-20)}${index}`, name: tool.name },
    pieces: isCut ? whole.slice(0, maxTokens) : whole,
    finish,
  }))
}

function messageOf({ tool, pieces }: Choice): ChatCompletion['choices'][number]['message'] {
  const text = pieces.join('')
  if (!tool) return { role: 'assistant', content: text, refusal: null }
  const call = { id: tool.id, type: 'function' as const, function: { name: tool.name, arguments: text } }
  return { role: 'assistant', content: null, refusal: null, tool_calls: [call] }
}

type ChunkChoice = Pick<ChatChunk['choices'][number], 'delta' | 'finish_reason'>

function deltasOf({ tool, pieces, finish }: Choice): { counts: boolean; choice: ChunkChoice }[] {
  const open = tool && {
    index: 0,
    id: tool.id,
    type: 'function' as const,
    function: { name: tool.name, arguments: '' },
  }
  const first = open
    ? { role: 'assistant' as const, content: null, tool_calls: [open] }
    : { role: 'assistant' as const, content: '', refusal: null }
  return [
    { counts: false, choice: { delta: first, finish_reason: null } },
    ...pieces.map(piece => ({
      counts: true,
      choice: {
        delta: tool ? { tool_calls: [{ index: 0, function: { arguments: piece } }] } : { content: piece },
        finish_reason: null,
      },
    })),
    { counts: false, choice: { delta: {}, finish_reason: finish } },
  ]
}

const usageOf = ({ request }: UpstreamCall, output: number): TokenUsage => ({
  input: promptTokens(request),
  output,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
})
