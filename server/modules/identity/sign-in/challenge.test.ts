import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { solveChallenge, type Challenge } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { ServiceClock } from '#platform/kernel/clock'
import { startTestService, type TestService } from '#test'
import { newChallenge } from './challenge.ts'

const CHALLENGE = '/auth/register-agent/challenge'
const username = () => `a${randomBytes(5).toString('hex')}`
const registerWith = (service: TestService) => (more: object) =>
  service.http<{ message: string; hint?: string }>('POST', '/auth/register-agent', {
    body: { username: username(), ...more },
  })

suite('without a challenge', () => {
  let service: TestService
  before(async () => {
    service = await startTestService()
  })
  after(() => service.close())

  test('there is none to get, and registering asks for none', async () => {
    assert.equal((await service.http('GET', CHALLENGE)).status, 404)
    assert.equal((await registerWith(service)({})).status, 201)
  })
})

suite('the proof of work', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ AGENT_CHALLENGE: 'pow' })
  })
  after(() => service.close())

  const register = (more: object) => registerWith(service)(more)
  const encode = (challenge: object, solution: object) =>
    Buffer.from(JSON.stringify({ challenge, solution })).toString('base64')
  const getChallenge = async () => {
    const { status, body } = await service.http<Challenge>('GET', CHALLENGE)
    assert.equal(status, 200)
    return body
  }
  async function solved(): Promise<{ challenge: Challenge; solution: object }> {
    const challenge = await getChallenge()
    const solution = await solveChallenge({ challenge, deriveKey })
    assert.ok(solution)
    return { challenge, solution }
  }

  test('is asked for by every public registration of an agent', async () => {
    for (const path of [
      '/auth/register-agent',
      '/agents/register',
      '/api/v1/service-accounts/agents/self-register',
    ]) {
      const body = { username: username(), email: `${username()}@example.com` }
      const { status, body: answer } = await service.http<{ message: string }>('POST', path, { body })
      assert.deepEqual([status, answer.message.startsWith('Challenge required')], [400, true], path)
    }
  })

  test('is valid for five minutes and registers one account, also concurrently', async () => {
    const refused = await register({})
    assert.deepEqual([refused.status, refused.body.message.startsWith('Challenge required')], [400, true])
    const { challenge, solution } = await solved()
    assert.ok(Math.abs((challenge.parameters.expiresAt ?? 0) - Date.now() / 1000 - 300) < 60)
    const challengeSolution = encode(challenge, solution)
    const statuses = (
      await Promise.all(Array.from({ length: 8 }, () => register({ challengeSolution })))
    ).map(answer => answer.status)
    assert.deepEqual(
      statuses.sort((a, b) => a - b),
      [201, ...Array<number>(7).fill(400)],
    )
    assert.equal(
      (
        await register({
          challengeSolution: encode(
            { ...challenge, signature: challenge.signature?.toUpperCase() },
            solution,
          ),
        })
      ).status,
      400,
    )
  })

  test('made easier, prolonged, of a foreign key or wrongly solved it is refused', async () => {
    const { challenge, solution } = await solved()
    const { parameters } = challenge
    const tampered = [
      { ...challenge, parameters: { ...parameters, keyPrefix: '00' } },
      { ...challenge, parameters: { ...parameters, expiresAt: (parameters.expiresAt ?? 0) + 600 } },
      { ...challenge, parameters: { ...parameters, nonce: '00'.repeat(16) } },
      { ...challenge, signature: undefined },
      { ...challenge, parameters: { ...parameters, expiresAt: 1 } },
    ]
    for (const each of tampered)
      assert.equal((await register({ challengeSolution: encode(each, solution) })).status, 400)
    assert.equal(
      (await register({ challengeSolution: encode(challenge, { ...solution, derivedKey: 'ab'.repeat(32) }) }))
        .status,
      400,
    )
    assert.equal((await register({ challengeSolution: encode(challenge, solution) })).status, 201)
  })

  test('is rejected after five minutes; a used solution is remembered for longer', async () => {
    const sixMinutesAgo = Object.assign(new ServiceClock(), { real: () => new Date(Date.now() - 360_000) })
    const old = await newChallenge({ ...service.services, clock: sixMinutesAgo })
    const late = await register({
      challengeSolution: encode(old, (await solveChallenge({ challenge: old, deriveKey })) ?? {}),
    })
    assert.deepEqual([late.status, /has expired/.test(String(late.body.hint))], [400, true])
    const { challenge, solution } = await solved()
    const challengeSolution = encode(challenge, solution)
    assert.equal((await register({ challengeSolution })).status, 201)
    await service.services.db.pool.query(
      `update platform_limit set resets_at = resets_at - interval '5 minutes' where key like 'challenge:%'`,
    )
    assert.match((await register({ challengeSolution })).body.hint ?? '', /already been used/)
  })

  test('what is no solution at all is a 400', async () => {
    const challenge = await getChallenge()
    for (const challengeSolution of [
      'nonsense',
      'bnVsbA==',
      'e30=',
      encode({}, {}),
      encode(challenge, {}),
      encode(challenge, []),
      encode({ parameters: { nonce: 'x', algorithm: 5 } }, {}),
    ]) {
      const { status, body } = await register({ challengeSolution })
      assert.deepEqual([status, body.message.startsWith('Challenge failed')], [400, true], challengeSolution)
    }
    assert.equal((await register({ challengeSolution: 5 })).status, 400)
  })
})

suite('the bot token', () => {
  let service: TestService
  let verifier: Server
  const asked: URLSearchParams[] = []
  before(async () => {
    verifier = createServer((request, response) => {
      let form = ''
      request.on('data', (chunk: Buffer) => {
        form += chunk.toString()
      })
      request.on('end', () => {
        const fields = new URLSearchParams(form)
        asked.push(fields)
        if (fields.get('response') === 'broken') return response.end('<html>')
        response.end(JSON.stringify({ success: fields.get('response') === 'good' }))
      })
    })
    await new Promise<void>(resolve => {
      verifier.listen(0, '127.0.0.1', resolve)
    })
    const { port } = verifier.address() as AddressInfo
    service = await startTestService({
      AGENT_CHALLENGE: 'bot-token',
      BOT_VERIFY_URL: `http://127.0.0.1:${port}/siteverify`,
      BOT_VERIFY_SECRET: 'shared',
      LOG_LEVEL: 'silent',
    })
  })
  after(async () => {
    await service.close()
    verifier.close()
  })

  test("is confirmed by the operator's verifier; there is no challenge to get", async () => {
    const register = registerWith(service)
    assert.equal((await service.http('GET', CHALLENGE)).status, 404)
    assert.equal((await register({ botToken: 'good' })).status, 201)
    assert.deepEqual(Object.fromEntries(asked[0] ?? []), {
      secret: 'shared',
      response: 'good',
      remoteip: '127.0.0.1',
    })
    assert.match((await register({ botToken: 'bad' })).body.message, /^Challenge failed/)
    assert.match((await register({})).body.message, /^Challenge required/)
    assert.equal((await register({ botToken: 'broken' })).status, 503)
  })
})
