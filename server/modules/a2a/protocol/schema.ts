import { Type } from '#platform/http/type'
import { Id, named, Nullable } from '#platform/http/schema'

const RpcIdOut = Nullable(Type.Union([Type.String(), Type.Number()], { examples: [1] }))
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
    jsonrpc: Type.Literal('2.0', { description: 'Version of JSON-RPC' }),
    id: { ...RpcIdOut, description: '`id` of the request; null if it had none' },
    result: Type.Optional(Free('A Task of A2A 0.3')),
    error: Type.Optional(
      Type.Object(
        {
          code: Type.Integer({ examples: [-32001], description: 'Code of JSON-RPC or A2A' }),
          message: Type.String({ description: 'What is wrong' }),
          data: Type.Optional(Free('The error envelope of the other operations')),
        },
        { description: 'Absent if the call succeeded' },
      ),
    ),
  }),
)

const Url = Type.String({ format: 'uri', examples: ['https://example.com/a2a'], description: 'Address' })
const Modes = Type.Array(Type.String(), {
  examples: [['text/plain', 'application/json']],
  description: 'Media types',
})
const Open = Type.Object({}, { additionalProperties: true })
export const Card = named(
  'A2AAgentCard',
  Type.Object({
    name: Type.String({ maxLength: 200, description: 'Name of the agent' }),
    description: Type.String({ description: 'What the agent does' }),
    protocolVersion: Type.String({ examples: ['0.3.0'], description: 'Version of A2A' }),
    version: Type.String({ examples: ['1.0.0'], description: "Version of the agent's interface" }),
    url: { ...Url, description: 'Address for calls' },
    preferredTransport: Type.String({ examples: ['JSONRPC'], description: 'Transport at `url`' }),
    additionalInterfaces: Type.Array(
      Type.Object({
        url: Url,
        transport: Type.String({ examples: ['JSONRPC'], description: 'Transport at that address' }),
      }),
      { description: 'All addresses with their transports' },
    ),
    documentationUrl: { ...Url, description: 'Where the documentation is' },
    provider: Type.Object(
      {
        organization: Type.String({ examples: ['Agent marketplace'], description: 'Name of the service' }),
        url: { ...Url, description: 'Home page of the service' },
      },
      { description: 'Who operates the service' },
    ),
    capabilities: Type.Object(
      {
        streaming: Type.Boolean({ description: 'Whether `message/stream` works' }),
        pushNotifications: Type.Boolean({ description: 'Whether it sends A2A push notifications' }),
        stateTransitionHistory: Type.Boolean({ description: 'Whether tasks show their history' }),
        extensions: Type.Array(
          Type.Object({
            uri: { ...Url, description: 'Name of the extension' },
            description: Type.String({ description: 'What it is for' }),
            required: Type.Boolean({ description: 'Whether clients have to support it' }),
          }),
          { description: 'Extensions of A2A' },
        ),
      },
      { description: 'What of A2A it supports' },
    ),
    defaultInputModes: { ...Modes, description: 'Media types that it takes' },
    defaultOutputModes: { ...Modes, description: 'Media types of results' },
    securitySchemes: { ...Open, description: 'Ways to send a credential, in the form of OpenAPI' },
    security: Type.Array(Open, { description: 'Which of them a call needs' }),
    supportsAuthenticatedExtendedCard: Type.Boolean({
      description: 'Whether there is a longer card for holders of a credential',
    }),
    skills: Type.Array(
      Type.Object({
        id: Type.String({ maxLength: 200, description: 'Id of the skill' }),
        name: Type.String({ maxLength: 200, description: 'Name of the skill' }),
        description: Type.String({ description: 'What it does' }),
        tags: Type.Array(Type.String(), { description: 'Key words' }),
        examples: Type.Optional(
          Type.Array(Type.String(), {
            examples: [['Translate the release notes into French']],
            description: 'Requests that it can fulfill',
          }),
        ),
      }),
      { description: 'What it can do' },
    ),
  }),
)
