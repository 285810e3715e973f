import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sql } from '#platform/kernel/sql'
import { heldDeal, must, openMarket, publishAgent, sharedService, type Market, type TestService } from '#test'
import { openContent } from './artifact.ts'
import { openChunk, sealChunk, unwrapKey, wrapKey } from './cipher.ts'
import { rotateMasterKey } from './keys.ts'
import { artifactById } from './sql.ts'

interface Stored {
  id: string
  name: string
  mimeType: string
  bytes: number
  sha256: string
  code: string
}

const MEGABYTE = 1_000_000

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void
/** Of buffers in use, without what a collection frees. */
function liveBytes(): number {
  collect()
  collect()
  return process.memoryUsage().arrayBuffers
}
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')

suite('the vault', () => {
  let service: TestService
  let market: Market
  before(async () => {
    service = await sharedService()
    market = await openMarket(service)
  })
  after(() => service.close())

  const seller = () => ({ 'x-agent-api-key': market.agent.apiKey })
  const upload = async (
    content: string | Uint8Array<ArrayBuffer> | ReadableStream,
    {
      query = '',
      headers = seller(),
      type = 'text/plain',
    }: { query?: string; headers?: Record<string, string>; type?: string } = {},
  ) => {
    const response = await fetch(`${service.baseUrl}/vault${query}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': type },
      body: content,
      duplex: 'half',
    })
    return { status: response.status, body: (await response.json()) as Stored }
  }
  const store = async (content: Buffer, options?: Parameters<typeof upload>[1]): Promise<Stored> => {
    const { status, body } = await upload(content as Uint8Array<ArrayBuffer>, options)
    assert.equal(status, 201, JSON.stringify(body))
    return body
  }
  const download = async (id: string, headers: Record<string, string>) => {
    const response = await fetch(`${service.baseUrl}/vault/${id}/content`, { headers })
    return {
      status: response.status,
      headers: response.headers,
      content: Buffer.from(await response.arrayBuffer()),
    }
  }
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  /** Of the agent. */
  const count = async () => {
    const { rows } = await service.services.db.pool.query<{ artifacts: number; chunks: number }>(
      `select count(distinct a.id)::int as artifacts, count(c.number)::int as chunks
       from vault_artifact a left join vault_chunk c on c.artifact_id = a.id where a.agent_id = $1`,
      [market.agent.id],
    )
    return rows[0]
  }
  const eventually = async (isDone: (now: Awaited<ReturnType<typeof count>>) => boolean) => {
    const deadline = Date.now() + 20_000
    while (!isDone(await count()) && Date.now() < deadline) await sleep(20)
    return count()
  }

  test('returns what was uploaded, of any type and size, and stores it encrypted', async () => {
    for (const content of [
      Buffer.from('{"not": "parsed"'),
      randomBytes(1024 * 1024),
      randomBytes(2_500_001),
    ]) {
      const stored = await store(content, { query: '?name=a%20file.json', type: 'application/json' })
      assert.deepEqual(
        [stored.name, stored.mimeType, stored.bytes, stored.sha256],
        ['a file.json', 'application/json', content.length, sha256(content)],
      )
      const { status, headers, content: read } = await download(stored.id, seller())
      assert.deepEqual([status, headers.get('content-type')], [200, 'application/json'])
      assert.match(headers.get('content-disposition') ?? '', /^attachment; filename\*=UTF-8''a%20file.json$/)
      assert.ok(read.equals(content))
    }
    const clear = randomBytes(100).toString('hex')
    const { id } = await store(Buffer.from(clear))
    const { sealed } = await service.services.db.one(
      sql<{ sealed: Buffer }>`select sealed from vault_chunk where artifact_id = ${id}`,
    )
    assert.ok(!sealed.includes(clear.slice(0, 20)))
  })

  test('streams 100 MB both ways with flat memory, and refuses one byte more', async () => {
    const part = randomBytes(MEGABYTE)
    const hash = createHash('sha256')
    for (let index = 0; index < 100; index++) hash.update(part)
    const before = liveBytes()
    // Once in each direction, when most of the file has passed: to collect takes half a second of processor time.
    const held: number[] = []
    const measure = () => void held.push(liveBytes() - before)
    async function* parts(rest: number) {
      for (let index = 0; index < 100; index++) {
        if (index === 80 && !rest) measure()
        yield part
      }
      if (rest) yield part.subarray(0, rest)
    }
    const { status, body: stored } = await upload(ReadableStream.from(parts(0)))
    assert.equal(status, 201, JSON.stringify(stored))
    assert.equal(stored.sha256, hash.digest('hex'))
    const response = await fetch(`${service.baseUrl}/vault/${stored.id}/content`, { headers: seller() })
    const read = createHash('sha256')
    let bytes = 0
    for await (const piece of response.body ?? []) {
      read.update(piece)
      bytes += piece.length
      if (bytes > 80 * MEGABYTE && held.length === 1) measure()
    }
    assert.equal(read.digest('hex'), stored.sha256)
    assert.equal(held.length, 2)
    assert.ok(Math.max(...held) < 50 * MEGABYTE, `${held.join()} bytes`)
    const complete = await count()
    assert.equal((await upload(ReadableStream.from(parts(1)))).status, 413)
    assert.deepEqual(await count(), complete)
    // The search for secrets at the end of the service would read it as text.
    assert.equal((await service.http('DELETE', `/vault/${stored.id}`, { headers: seller() })).status, 204)
  })

  test('an upload that stops in the middle, is empty or differs leaves nothing', async () => {
    const before = await count()
    const sending = request(`${service.baseUrl}/vault`, {
      method: 'POST',
      headers: { ...seller(), 'content-length': 5 * MEGABYTE },
    })
    sending.on('error', () => undefined)
    sending.write(randomBytes(3 * MEGABYTE))
    const begun = await eventually(now => (now?.chunks ?? 0) > (before?.chunks ?? 0))
    assert.ok((begun?.chunks ?? 0) > (before?.chunks ?? 0))
    sending.destroy()
    assert.equal((await upload('')).status, 400)
    const other = await upload('content', { query: `?sha256=${'0'.repeat(64)}` })
    assert.deepEqual([other.status, other.body.code], [400, 'ARTIFACT_MISMATCH'])
    assert.deepEqual(await eventually(now => now?.artifacts === before?.artifacts), before)
  })

  test('the buyer opens a delivered artifact once it is released, others never', async () => {
    const content = randomBytes(5000)
    const { id, sha256: hash } = await store(content, { query: '?name=work.bin', type: 'application/x-work' })
    const deal = await heldDeal(market)
    const buyer = bearer(market.buyer.token)
    assert.equal((await download(id, buyer)).status, 403)
    const deliver = (artifact: object) =>
      service.http<{ code: string; delivery: { artifacts: object[]; status: string } }>(
        'POST',
        '/ap2/deliver',
        {
          headers: seller(),
          body: { negotiationId: deal.id, artifacts: [{ name: 'work', vaultId: id, ...artifact }] },
        },
      )
    assert.equal((await deliver({ sha256: '0'.repeat(64) })).body.code, 'ARTIFACT_MISMATCH')
    assert.equal((await deliver({ url: 'https://example.com' })).status, 400)
    const { status, body } = await deliver({})
    assert.equal(status, 201)
    assert.equal(body.delivery.status, 'VERIFIED')
    assert.deepEqual(body.delivery.artifacts, [
      { name: 'work', vaultId: id, sha256: hash, mimeType: 'application/x-work', bytes: 5000 },
    ])
    assert.equal((await service.http('GET', `/vault/${id}`, { headers: buyer })).status, 200)
    for (const headers of [buyer, bearer(market.outsider.token), bearer(market.admin)])
      assert.equal((await download(id, headers)).status, 403)
    assert.equal((await download(id, seller())).status, 200)
    assert.equal((await service.http('DELETE', `/vault/${id}`, { headers: seller() })).status, 409)
    await must(market, 'buyer', '/payments/ap2/release', { escrowId: deal.escrowId })
    assert.ok((await download(id, buyer)).content.equals(content))
    for (const headers of [bearer(market.outsider.token), bearer(market.admin)])
      assert.equal((await download(id, headers)).status, 403)
  })

  test('only the holder delivers and deletes an artifact', async () => {
    const { id } = await store(Buffer.from('foreign'), { headers: bearer(market.outsider.token) })
    const deal = await heldDeal(market)
    const body = { negotiationId: deal.id, artifacts: [{ name: 'work', vaultId: id }] }
    assert.equal((await service.http('POST', '/ap2/deliver', { headers: seller(), body })).status, 403)
    assert.equal((await service.http('DELETE', `/vault/${id}`, { headers: seller() })).status, 403)
    const own = bearer(market.outsider.token)
    assert.equal((await service.http('DELETE', `/vault/${id}`, { headers: own })).status, 204)
    assert.equal((await service.http('GET', `/vault/${id}`, { headers: own })).status, 404)
  })

  test('a rotation wraps every key again, deletes the old master key, and changes no content', async () => {
    const content = randomBytes(3000)
    const { id } = await store(content)
    const keyOf = async () =>
      (
        await service.services.db.one(
          sql<{ masterKeyId: string }>`select master_key_id from vault_artifact where id = ${id}`,
        )
      ).masterKeyId
    const before = await keyOf()
    // A download that has begun: it has read the file, and not its key.
    const begun = await service.services.db.one(artifactById(id))
    assert.ok((await rotateMasterKey(service.services.db, service.services.secrets)) > 0)
    assert.notEqual(await keyOf(), before)
    const keys = await service.services.db.rows(sql<{ id: string }>`select id from vault_master_key`)
    assert.deepEqual(
      keys.map(each => each.id),
      [await keyOf()],
    )
    assert.ok((await download(id, seller())).content.equals(content))
    const opened = await openContent(service.services, begun)
    assert.ok(Buffer.concat(await opened.toArray()).equals(content))
    assert.equal((await service.http('DELETE', `/vault/${id}`, { headers: seller() })).status, 204)
    await assert.rejects(openContent(service.services, begun), /Artifact not found/)
  })

  test('reservations of uploads at the same time never exceed the quota', async () => {
    const agent = await publishAgent(service, market.outsider)
    const headers = { 'x-agent-api-key': agent.apiKey }
    const refused: number[] = []
    const begin = () => {
      const sending = request(`${service.baseUrl}/vault`, {
        method: 'POST',
        headers: { ...headers, 'content-length': 90 * MEGABYTE },
      })
      sending.on('response', ({ statusCode = 0 }) => refused.push(statusCode))
      sending.on('error', () => undefined)
      sending.write(randomBytes(10))
      return sending
    }
    const reserved = () =>
      service.services.db.one(
        sql<{
          bytes: bigint
        }>`select coalesce(sum(bytes), 0)::bigint as bytes from vault_artifact where agent_id = ${agent.id}`,
      )
    const until = async (isDone: (bytes: bigint) => boolean) => {
      const deadline = Date.now() + 20_000
      while (!isDone((await reserved()).bytes) && Date.now() < deadline) await sleep(20)
      return (await reserved()).bytes
    }
    const begun = Array.from({ length: 14 }, begin)
    const most = BigInt(990 * MEGABYTE)
    assert.equal(await until(bytes => bytes === most && refused.length === 3), most)
    assert.deepEqual(refused, [403, 403, 403])
    for (const sending of begun) sending.destroy()
    assert.equal(await until(bytes => bytes === 0n), 0n)
  })

  test('content that was changed, moved or cut off does not open', () => {
    const key = randomBytes(32)
    const place = { artifactId: 'a', number: 1, isLast: false }
    const sealed = sealChunk(key, place, Buffer.from('content'))
    assert.equal(openChunk(key, place, sealed).toString(), 'content')
    for (const more of [{ artifactId: 'b' }, { number: 0 }, { isLast: true }])
      assert.throws(() => openChunk(key, { ...place, ...more }, sealed))
    const changed = Buffer.from(sealed)
    changed[0] = (changed[0] ?? 0) ^ 1
    assert.throws(() => openChunk(key, place, changed))
    const wrapped = wrapKey(key, Buffer.alloc(32, 7), 'a')
    assert.deepEqual(unwrapKey(key, wrapped, 'a'), Buffer.alloc(32, 7))
    assert.throws(() => unwrapKey(key, wrapped, 'b'))
    assert.throws(() => unwrapKey(randomBytes(32), wrapped, 'a'))
  })
})
