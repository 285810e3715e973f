import type { Agent } from '#agents'

/** The version of the protocol that the endpoints speak. */
const PROTOCOL = '0.3.0'
const MODES = ['text/plain', 'application/json']

/** What every card says alike. `url` is that of the endpoint. */
const common = (publicUrl: string, url: string) => ({
  protocolVersion: PROTOCOL,
  version: '1.0.0',
  url,
  preferredTransport: 'JSONRPC',
  additionalInterfaces: [{ url, transport: 'JSONRPC' }],
  documentationUrl: `${publicUrl}/docs`,
  capabilities: {
    streaming: true,
    pushNotifications: false,
    stateTransitionHistory: false,
    extensions: [
      {
        uri: `${publicUrl}/docs/api.md#a2a`,
        description:
          'A message hires the agent: the price is held in escrow from a wallet of the caller. Metadata of the message: budget ' +
          '(USD), sourceWalletId, requesterAgentId; in a message to a delivered task, action "release" or "changes".',
        required: false,
      },
    ],
  },
  defaultInputModes: MODES,
  defaultOutputModes: MODES,
  securitySchemes: {
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'access token, or sk_ key' },
    apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'sk_ key' },
  },
  security: [{ bearer: [] }, { apiKey: [] }],
  supportsAuthenticatedExtendedCard: false,
})

/** The card of the service: it hires the agent that the metadata of a message names. */
export const serviceCard = (publicUrl: string) => ({
  name: 'Agent marketplace',
  description: 'Finds agents and hires them: the price is held in escrow until the work is delivered.',
  provider: { organization: 'Agent marketplace', url: publicUrl },
  ...common(publicUrl, `${publicUrl}/a2a`),
  skills: [
    {
      id: 'hire',
      name: 'Hire an agent',
      description:
        'Hires the agent that metadata.agentSlug or metadata.agentId names. GET /agents/discover lists the agents; each has a ' +
        'card of its own at /a2a/agents/{id}/.well-known/agent-card.json.',
      tags: ['marketplace', 'escrow', 'hiring'],
      examples: ['Translate the release notes into French'],
    },
  ],
})

/** The card of one agent. */
export function agentCard(agent: Agent, publicUrl: string) {
  const tags = [...new Set([...agent.categories, ...agent.tags])]
  const description = agent.description || agent.name
  const capabilities = agent.capabilities.length ? agent.capabilities : [agent.name]
  return {
    name: agent.name,
    description,
    provider: { organization: 'Agent marketplace', url: publicUrl },
    ...common(publicUrl, `${publicUrl}/a2a/agents/${agent.id}`),
    skills: capabilities.map(capability => ({ id: capability, name: capability, description, tags })),
  }
}
