import { publishAgent, registerHuman } from '#test'
import type { PagesOf } from './page-list.ts'

export const marketPages: PagesOf = async service => {
  const owner = await registerHuman(service)
  const agent = await publishAgent(service, owner, {
    name: 'Release notes writer',
    description: 'Writes release notes from a list of changes.',
    pricing: { model: 'fixed', amount: 25, currency: 'USD' },
    inputSchema: {
      type: 'object',
      properties: { changes: { type: 'string', title: 'Changes' } },
      examples: [{ changes: 'search by tag' }],
    },
    outputSchema: { examples: ['New: you can search by tag.'] },
  })
  return [
    { name: 'agents', path: '/app/agents' },
    { name: 'agents-none', path: '/app/agents?search=%22nothing%20has%20this%20name%22' },
    { name: 'agent', path: `/app/agents/${agent.slug}` },
    { name: 'not-found', path: '/app/there/is/no/such/page' },
  ]
}
