import { Problem } from '../../../api/problem.ts'
import type { Error as ErrorBody, RouteDecision } from '../../../api/schema.d.ts'

/** What a request to a model is made of here. */
export interface Prompt {
  model: string
  prompt: string
}

export interface Progress {
  /** The text so far. */
  text: string
  model: string
  /** Known at the end. */
  costUsd?: number
  tokens?: number
}

interface Chunk {
  model?: string
  choices?: { delta?: { content?: string | null } }[]
  usage?: { total_tokens?: number; cost?: number } | null
  error?: { message?: string; code?: string }
}

/** Sends a request with a routing key. The session stays out: the gateway accepts one credential. */
async function send(key: string, path: string, body: object, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(path, {
    method: 'POST',
    credentials: 'omit',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })
  if (response.ok) return response
  const problem = (await response.json().catch(() => ({}))) as Partial<ErrorBody>
  throw new Problem(response.status, problem)
}

/** Which model would answer, why and at what cost; nothing is charged. */
export async function previewRoute(key: string, prompt: Prompt): Promise<RouteDecision> {
  return (await (await send(key, '/v1/route', prompt)).json()) as RouteDecision
}

/** The answer as it arrives. */
export async function* streamAnswer(
  key: string,
  { model, prompt }: Prompt,
  signal: AbortSignal,
): AsyncGenerator<Progress> {
  const response = await send(
    key,
    '/v1/chat/completions',
    {
      model,
      messages: [{ role: 'user', content: prompt }],
      stream: true,
      stream_options: { include_usage: true },
    },
    signal,
  )
  let progress: Progress = { text: '', model: response.headers.get('x-svc-model') ?? model }
  for await (const data of eventsOf(response)) {
    // Read to the end: leaving earlier could count as giving up the request.
    if (data === '[DONE]') continue
    progress = advance(progress, JSON.parse(data) as Chunk)
    yield progress
  }
}

function advance(progress: Progress, { model, choices, usage, error }: Chunk): Progress {
  if (error) throw new Problem(502, { message: error.message ?? '', code: error.code ?? '' })
  return {
    ...progress,
    text: progress.text + (choices?.[0]?.delta?.content ?? ''),
    ...(model ? { model } : {}),
    ...(usage?.cost === undefined ? {} : { costUsd: usage.cost }),
    ...(usage?.total_tokens === undefined ? {} : { tokens: usage.total_tokens }),
  }
}

/** The data of each server-sent event. */
async function* eventsOf({ body }: Response): AsyncGenerator<string> {
  if (!body) return
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) return
      const events = (rest + value.replaceAll('\r\n', '\n')).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events)
        for (const line of event.split('\n')) if (line.startsWith('data:')) yield line.slice(5).trim()
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
