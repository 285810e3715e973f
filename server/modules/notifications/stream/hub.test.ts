import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ApiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { sharedService, type TestService } from '#test'
import { EventHub, type Reader } from './hub.ts'

type Event = { id: bigint }

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

const openHub = () =>
  new EventHub<Event>(service.services, {
    name: 'agent',
    newest: async () => 0n,
    eventsAfter: async () => [],
    requireAccess: async () => undefined,
  })

function readerOf(accountId: string, subjectId: string): Reader<Event> {
  const principal = { via: 'agent-key', accountId, keyId: newId(), scopes: [], agentId: subjectId } as const
  return {
    ctx: { principal, ip: '127.0.0.1', userAgent: null, requestId: 'test' },
    principal,
    subjectId,
    after: 0n,
    isReady: () => true,
    deliver: () => undefined,
    end: () => undefined,
  }
}

test('the agents of one account do not take the places of all others', () => {
  const hub = openHub()
  const owner = newId()
  const readers = Array.from({ length: 1000 }, (_, index) => readerOf(owner, `agent-${index % 100}`))
  for (const reader of readers) hub.add(reader)
  const refused = (error: unknown) =>
    error instanceof ApiError && error.row.status === 429 && /for each account/.test(error.message)
  assert.throws(() => hub.add(readerOf(owner, 'agent-100')), refused)
  hub.add(readerOf(newId(), 'agent-of-another'))
  const [first] = readers
  assert.ok(first)
  hub.remove(first)
  hub.add(readerOf(owner, 'agent-100'))
})

test('one agent has a limited number of streams', () => {
  const hub = openHub()
  const owner = newId()
  for (let count = 0; count < 20; count++) hub.add(readerOf(owner, 'agent-1'))
  assert.throws(() => hub.add(readerOf(owner, 'agent-1')), /At most 20 streams for each agent/)
})
