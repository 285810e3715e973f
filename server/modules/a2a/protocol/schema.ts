import { Type } from '#platform/http/type'
import { Id, named, Nullable } from '#platform/http/schema'

const RpcIdOut = Nullable(Type.Union([Type.String(), Type.Integer()], { examples: [1] }))
const Free = (description: string) => Type.Unknown({ description })

export const AgentPath = Type.Object({ agentId: Id })

/** Loose on purpose: what is no valid call is answered by an error of JSON-RPC. */
export const RpcRequest = named(
  'A2ARequest',
  Type.Object({
    jsonrpc: Type.Optional(Free('"2.0"')),
    id: Type.Optional(Free('Text or a number, sent back with the answer')),
    method: Type.Optional(Free('message/send, message/stream, tasks/get, tasks/cancel or tasks/resubscribe')),
    params: Type.Optional(Free('Those of the method in A2A 0.3')),
  }),
)

export const RpcResponse = named(
  'A2AResponse',
  Type.Object({
    jsonrpc: Type.Literal('2.0'),
    id: RpcIdOut,
    result: Type.Optional(Free('A Task of A2A 0.3')),
    error: Type.Optional(
      Type.Object({
        code: Type.Integer({ examples: [-32001] }),
        message: Type.String(),
        data: Type.Optional(Free('The error envelope of the other operations')),
      }),
    ),
  }),
)

const Url = Type.String({ format: 'uri', examples: ['https://example.com/a2a'] })
const Modes = Type.Array(Type.String(), { examples: [['text/plain', 'application/json']] })
const Open = Type.Object({}, { additionalProperties: true })
export const Card = named(
  'A2AAgentCard',
  Type.Object({
    name: Type.String(),
    description: Type.String(),
    protocolVersion: Type.String({ examples: ['0.3.0'] }),
    version: Type.String({ examples: ['1.0.0'] }),
    url: Url,
    preferredTransport: Type.String({ examples: ['JSONRPC'] }),
    additionalInterfaces: Type.Array(
      Type.Object({ url: Url, transport: Type.String({ examples: ['JSONRPC'] }) }),
    ),
    documentationUrl: Url,
    provider: Type.Object({
      organization: Type.String({ examples: ['Agent marketplace'] }),
      url: Url,
    }),
    capabilities: Type.Object({
      streaming: Type.Boolean(),
      pushNotifications: Type.Boolean(),
      stateTransitionHistory: Type.Boolean(),
      extensions: Type.Array(
        Type.Object({
          uri: Url,
          description: Type.String(),
          required: Type.Boolean(),
        }),
      ),
    }),
    defaultInputModes: Modes,
    defaultOutputModes: Modes,
    securitySchemes: Open,
    security: Type.Array(Open),
    supportsAuthenticatedExtendedCard: Type.Boolean(),
    skills: Type.Array(
      Type.Object({
        id: Type.String(),
        name: Type.String(),
        description: Type.String(),
        tags: Type.Array(Type.String()),
        examples: Type.Optional(
          Type.Array(Type.String(), { examples: [['Translate the release notes into French']] }),
        ),
      }),
    ),
  }),
)
