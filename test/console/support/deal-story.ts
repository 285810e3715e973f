import assert from 'node:assert/strict'
import { publishAgent, registerHuman, type ListedAgent, type TestService } from '#test'

export const SERVICE = 'Release notes for version 2'

/** An agent with a listed price and a name of its own, so that a search finds it alone. */
export async function listWriter(service: TestService, name: string): Promise<ListedAgent> {
  const owner = await registerHuman(service)
  return publishAgent(service, owner, {
    name,
    description: 'Writes release notes from a list of changes.',
    categories: ['writing'],
    pricing: { model: 'fixed', amount: 25, currency: 'USD' },
    inputSchema: {
      type: 'object',
      required: ['changes'],
      properties: { changes: { type: 'string', title: 'Changes' } },
    },
  })
}

/** The id of the deal whose page is open. */
export function dealIn(url: string): string {
  const id = /\/app\/deals\/([\da-f-]+)/.exec(url)?.[1]
  assert.ok(id, `${url} is the page of a deal`)
  return id
}

/** The agent delivers, as a program does. */
export async function deliverByKey(
  service: TestService,
  agent: ListedAgent,
  negotiationId: string,
): Promise<void> {
  const { status, text } = await service.http('POST', '/ap2/deliver', {
    headers: { 'x-agent-api-key': agent.apiKey },
    body: { negotiationId, result: 'Version 2 is faster.' },
  })
  assert.equal(status, 201, text)
}
