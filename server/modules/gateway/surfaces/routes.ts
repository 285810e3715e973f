import type { App } from '#platform/http/operation'
import { installOpenaiErrors, modelOperation, type CallParts } from '../calls/index.ts'
import type { Calls } from '../core/call.ts'
import type { KeyRing } from '../core/key.ts'
import { embed } from './embeddings/embed.ts'
import { EmbeddingList, EmbeddingsBody } from './embeddings/schema.ts'
import { answerCount } from './messages/count-tokens.ts'
import { installMessagesErrors } from './messages/error.ts'
import { answerMessages } from './messages/messages.ts'
import { CountTokensBody, MessageAnswer, MessagesBody, TokenCount } from './messages/schema.ts'
import { answerResponses } from './responses/responses.ts'
import { ModelResponse, ResponsesBody } from './responses/schema.ts'

export interface SurfaceParts {
  calls: Calls
  ring: KeyRing
  /** For what is no call of a chat model. */
  parts: CallParts
}

/** The APIs beside chat completions: their own forms of requests, answers and errors over the same pipeline. */
export function surfaceRoutes(app: App, surfaces: SurfaceParts): void {
  void app.register(async messages => messagesRoutes(messages, surfaces))
  void app.register(async openai => {
    installOpenaiErrors(openai, keyId => surfaces.ring.keyOf(keyId))
    openaiRoutes(openai, surfaces)
  })
}

function messagesRoutes(app: App, { calls, ring, parts }: SurfaceParts): void {
  installMessagesErrors(app)
  modelOperation(app, ring, {
    url: '/v1/messages',
    id: 'createMessage',
    summary: "Create a message in Anthropic's form",
    status: 200,
    body: MessagesBody,
    example: { model: 'auto', max_tokens: 64, messages: [{ role: 'user', content: 'Why is the sky blue?' }] },
    answer: MessageAnswer,
    streams: true,
    idempotent: true,
    run: request => answerMessages(calls, request),
  })
  modelOperation(app, ring, {
    url: '/v1/messages/count_tokens',
    id: 'countMessageTokens',
    summary: "Count the tokens of a message in Anthropic's form",
    status: 200,
    body: CountTokensBody,
    example: { model: 'auto', messages: [{ role: 'user', content: 'Why is the sky blue?' }] },
    answer: TokenCount,
    excludeErrors: [402, 404, 502, 504],
    run: request => answerCount(parts, request),
  })
}

function openaiRoutes(app: App, { calls, ring, parts }: SurfaceParts): void {
  modelOperation(app, ring, {
    url: '/v1/responses',
    id: 'createResponse',
    summary: "Create a response in the form of OpenAI's Responses",
    status: 200,
    body: ResponsesBody,
    example: { model: 'auto', input: 'Why is the sky blue?', max_output_tokens: 64 },
    answer: ModelResponse,
    streams: true,
    idempotent: true,
    run: request => answerResponses(calls, request),
  })
  modelOperation(app, ring, {
    url: '/v1/embeddings',
    id: 'createEmbeddings',
    summary: 'Create embeddings',
    status: 200,
    body: EmbeddingsBody,
    example: { model: 'text-embedding-3-small', input: ['Why is the sky blue?'] },
    answer: EmbeddingList,
    run: request => embed(parts, request),
  })
}
