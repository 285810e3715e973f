import { after, before, test } from 'node:test'
import assert from 'node:assert/strict'
import { publishAgent, registerHuman, sharedService, type Person, type TestService } from '#test'

let service: TestService
let owner: Person
let other: Person

before(async () => {
  service = await sharedService()
  owner = await registerHuman(service)
  other = await registerHuman(service)
})
after(() => service.close())

const read = (path: string, token?: string) => service.http('GET', path, { token })

async function draftAgent(): Promise<{ id: string; slug: string }> {
  const body = { name: 'Seen as draft' }
  return (await service.http<{ id: string; slug: string }>('POST', '/agents', { token: owner.token, body }))
    .body
}

test('shows DRAFT and UNLISTED agents by id; PRIVATE ones to owner and admins only', async () => {
  const paths = ({ id, slug }: { id: string; slug: string }) => [
    `/agents/${id}`,
    `/agents/slug/${slug}`,
    `/agents/${id}/schema`,
    `/agents/${id}/badge`,
    `/agents/slug/${slug}/badge`,
  ]
  const draft = await draftAgent()
  const unlisted = await publishAgent(service, owner, { visibility: 'UNLISTED' })
  for (const path of [...paths(draft), ...paths(unlisted)]) assert.equal((await read(path)).status, 200, path)
  const secret = await publishAgent(service, owner, { visibility: 'PRIVATE' })
  const admin = await service.adminToken()
  for (const path of paths(secret)) {
    assert.deepEqual(
      [
        (await read(path)).status,
        (await read(path, other.token)).status,
        (await read(path, owner.token)).status,
        (await read(path, admin)).status,
      ],
      [403, 403, 200, 200],
      path,
    )
  }
})

test('a PRIVATE agent is hired and asked by its own account only, and may offer to others', async () => {
  const secret = await publishAgent(service, owner, { visibility: 'PRIVATE' })
  const [sister, foreign] = [await publishAgent(service, owner), await publishAgent(service, other)]
  const offer = { responderAgentId: secret.id, requestedService: 'Notes', budget: 5 }
  const asked = { responderAgentId: secret.id, payload: 'Hello' }
  const calls: [string, object][] = [
    ['/ap2/negotiate', offer],
    ['/ap2/negotiate', { ...offer, responderAgentId: undefined, responderSlug: secret.slug }],
    ['/payments/create-agent-checkout', { slug: secret.slug, amount: 5 }],
    ['/payments/stripe/create', { agentId: secret.id, paymentMethodId: 'pm_card_visa', amount: 5 }],
    ['/agents/a2a', { ...asked, requesterAgentId: foreign.id }],
  ]
  for (const [path, body] of calls) {
    const { status, text } = await service.http('POST', path, { token: other.token, body })
    assert.equal(status, 403, path)
    assert.match(text, /The agent is private/)
    assert.ok(!text.includes(secret.id))
  }
  const headers = { 'x-agent-api-key': sister.apiKey }
  assert.equal((await service.http('POST', '/ap2/negotiate', { headers, body: offer })).status, 201)
  const body = { ...asked, requesterAgentId: sister.id }
  assert.equal((await service.http('POST', '/agents/a2a', { token: owner.token, body })).status, 201)
  const need = await service.http<{ id: string }>('POST', '/market/needs', {
    token: other.token,
    body: { title: 'Notes', budget: 10 },
  })
  const made = await service.http<{ id: string }>('POST', `/market/needs/${need.body.id}/offers`, {
    headers: { 'x-agent-api-key': secret.apiKey },
    body: { price: 5 },
  })
  const path = `/market/offers/${made.body.id}/accept`
  assert.equal((await service.http('POST', path, { token: other.token })).status, 201)
})

test('lets only browsers store the badge of a PRIVATE agent', async () => {
  const cachingOf = async (visibility: string) => {
    const agent = await publishAgent(service, owner, { visibility })
    return (await read(`/agents/${agent.id}/badge`, owner.token)).headers.get('cache-control')
  }
  assert.deepEqual(
    [await cachingOf('PUBLIC'), await cachingOf('PRIVATE')],
    ['public, max-age=300', 'private, max-age=300'],
  )
})

test('serves the badge as JSON, or as SVG if Accept prefers an image', async () => {
  const agent = await publishAgent(service, owner)
  for (const path of [`/agents/${agent.id}/badge`, `/agents/slug/${agent.slug}/badge`]) {
    const data = await service.http('GET', path)
    assert.deepEqual(data.body, {
      schemaVersion: 1,
      label: 'trust',
      message: 'unverified 0',
      color: 'lightgrey',
      cacheSeconds: 300,
    })
    const picture = await service.http('GET', path, {
      headers: { accept: 'image/avif,image/webp,image/svg+xml,*/*;q=0.8' },
    })
    assert.equal(picture.headers.get('content-type'), 'image/svg+xml')
    assert.match(picture.text, /^<svg .*trust: unverified 0/)
  }
})
