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
