import { Type } from '#platform/http/type'
import { Nullable } from '#platform/http/schema'
import { Refusal } from '../call.ts'
import { STRICT } from './shapes.ts'
import { defineTool, WRITES } from './tool.ts'

interface Completion {
  model: string
  choices: { message: { content: string | null }; finish_reason: string | null }[]
  usage: { prompt_tokens: number; completion_tokens: number; cost?: number }
}

const routePrompt = defineTool({
  name: 'route_prompt',
  title: 'Route a prompt to a model',
  description:
    'Sends a prompt through the routing gateway, which chooses the model by the complexity of the prompt. It is paid from the routing balance, within the budget of the `rk_` key that the client sends in the header `x-api-key` beside its credential.',
  annotations: WRITES,
  input: Type.Object(
    {
      prompt: Type.String({ minLength: 1 }),
      system: Type.Optional(Type.String({ description: 'Instructions for the model' })),
      model: Type.Optional(
        Type.String({
          maxLength: 200,
          description: 'auto (default), svc/budget, svc/balanced, svc/performance, or the name of a model',
        }),
      ),
      maxTokens: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    },
    STRICT,
  ),
  output: Type.Object({
    model: Type.String(),
    text: Type.String(),
    finishReason: Nullable(Type.String()),
    usage: Type.Object({
      prompt_tokens: Type.Integer(),
      completion_tokens: Type.Integer(),
      cost: Type.Optional(Type.Number({ description: 'In USD' })),
    }),
  }),
  async run({ call }, { prompt, system, model = 'auto', maxTokens }) {
    const body = {
      model,
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: prompt },
      ],
      max_completion_tokens: maxTokens,
    }
    const answer = await call({ method: 'POST', path: '/v1/chat/completions', body }).catch(nameRoutingKey)
    const { model: used, choices, usage } = answer as Completion
    const [choice] = choices
    return {
      model: used,
      text: choice?.message.content ?? '',
      finishReason: choice?.finish_reason ?? null,
      usage,
    }
  },
})

/** The API would name headers that have the credential of the client here. */
function nameRoutingKey(error: unknown): never {
  if (error instanceof Refusal && error.envelope.code === 'INVALID_AUTH_TYPE')
    throw new Refusal({
      ...error.envelope,
      hint: 'Send an rk_ routing key in the header x-api-key beside the credential. svc mcp takes it from SVC_ROUTING_KEY',
    })
  throw error
}

export const promptTools = [routePrompt]
