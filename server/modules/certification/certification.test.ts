import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentKeys } from '#agents'
import { publishAgent, registerHuman, sharedService, startBrowser } from '#test'
import type { ListedAgent, Person, TestBrowser, TestService } from '#test'
import { startAgentProcess, type AgentProcess } from '../../../test/support/people/certified-agent.ts'
import { SUITES, type SuiteId } from './suites/suites.ts'
import { newId } from '#platform/kernel/id'

interface Participant {
  agentId: string
  role: string
  status: string
  score: number | null
  passed: boolean | null
  certificateId: string | null
  expiresAt: string | null
  results: { kind: string; passed: boolean; reason: string | null }[]
}
interface Run {
  id: string
  status: string
  score: number | null
  passed: boolean | null
  certificateId: string | null
  abortReason: string | null
  participants: Participant[]
  message: string
  code: string
}

suite('certification', () => {
  let service: TestService
  let owner: Person
  let agentProcess: AgentProcess
  let agent: ListedAgent
  before(async () => {
    service = await sharedService()
    owner = await registerHuman(service)
    agentProcess = await startAgentProcess()
    agent = await signedAgent()
  })
  after(async () => {
    await agentProcess.close()
    await service.close()
  })

  /** An agent at the address of the process, which knows its secret. */
  async function signedAgent(): Promise<ListedAgent> {
    const listed = await publishAgent(service, owner, { ap2Endpoint: agentProcess.url })
    const { createWebhookSecret } = agentKeys.webhookSecrets
    const secret = await service.services.db.transaction(tx =>
      createWebhookSecret(tx, service.services, listed.id, newId()),
    )
    agentProcess.secret ||= secret ?? ''
    return listed
  }

  const post = (path: string, body?: object, token = owner.token) =>
    service.http<Run>('POST', `/certification-runs${path}`, { token, body })
  const read = async (id: string) => (await service.http<Run>('GET', `/certification-runs/${id}`)).body
  const open = async (id: SuiteId, more: object = {}) => {
    const { status, text, body } = await post('', { suite: id, agentId: agent.id, ...more })
    assert.equal(status, 201, text)
    assert.equal(body.status, 'OPEN')
    return body
  }

  async function started(id: SuiteId): Promise<Run> {
    const run = await open(id)
    const { status, text, body } = await post(`/${run.id}/start`)
    assert.deepEqual([status, body.status], [200, 'QUEUED'], text)
    return body
  }

  async function ended(id: string): Promise<Run> {
    for (const deadline = Date.now() + 60_000; ; await sleep(50)) {
      const run = await read(id)
      if (!['QUEUED', 'RUNNING'].includes(run.status)) return run
      assert.ok(Date.now() < deadline, JSON.stringify(run))
    }
  }

  for (const id of ['smoke', 'reliability', 'reasoning'] as const) {
    test(`an agent that answers as it should passes the suite ${id}`, async () => {
      const run = await ended((await started(id)).id)
      const [participant] = run.participants
      assert.deepEqual([run.status, run.score, run.passed], ['PASSED', 100, true], JSON.stringify(run))
      assert.equal(run.certificateId, participant?.certificateId)
      const days =
        (Date.parse(participant?.expiresAt ?? '') - service.services.clock.now().getTime()) / 86_400_000
      assert.ok(Math.abs(days - SUITES[id].validDays) < 1)
      const published = SUITES[id].tasks.flatMap(({ kind, count }) => Array<string>(count).fill(kind))
      assert.deepEqual(participant?.results.map(({ kind }) => kind).sort(), published.sort())
    })
  }

  test('an agent with a browser passes the suite browser-execution, one without does not', async () => {
    const browser: TestBrowser = await startBrowser()
    try {
      agentProcess.browse = ({ kind, input }) => browse(browser, kind, input)
      const run = await ended((await started('browser-execution')).id)
      assert.deepEqual([run.status, run.score], ['PASSED', 100], JSON.stringify(run))
      const [address] = agentProcess.received.flatMap(({ input: { url } }) =>
        typeof url === 'string' ? [url] : [],
      )
      // The pages belong to the run: they end with it.
      assert.equal((await fetch(address ?? '')).status, 404)
    } finally {
      await browser.browser.close()
      await browser.close()
    }
    // Reads the text of the page and nothing more.
    agentProcess.browse = async ({ input }) => ({
      code: (await (await fetch(String(input.url))).text()).slice(0, 50),
    })
    const run = await ended((await started('browser-execution')).id)
    assert.deepEqual([run.status, run.score, run.certificateId], ['FAILED', 0, null])
  })

  test('the passport shows the newest valid certificate of each suite', async () => {
    const { body } = await service.http<{
      certifications: { benchmark_track: string; certificate_id: string }[]
    }>('GET', `/agents/${agent.id}/passport`)
    // The newest run of browser-execution has failed.
    assert.deepEqual(
      body.certifications.map(each => each.benchmark_track),
      ['reasoning', 'reliability', 'smoke'],
    )
    const { id, certificateId } = await ended((await started('smoke')).id)
    const { body: surface } = await service.http<{
      benchmarks: { benchmark_track: string; certificate_id: string; passed: boolean }[]
    }>('GET', `/v1/svcscore/score/${agent.id}`)
    const smoke = surface.benchmarks.find(each => each.benchmark_track === 'smoke')
    assert.deepEqual([smoke?.certificate_id, smoke?.passed], [certificateId, true], id)
  })

  test('a message that is not refused, or a wrong answer, is named with its reason', async () => {
    agentProcess.behave = ({ kind }) => {
      if (kind === 'forged') return { output: {} }
      if (kind === 'large') return { status: 500 }
      if (kind === 'burst') return { output: { nonce: 'the one of yesterday' } }
      return undefined
    }
    const run = await ended((await started('reliability')).id)
    agentProcess.behave = () => undefined
    assert.deepEqual([run.status, run.score, run.passed], ['FAILED', 70, false])
    assert.deepEqual(
      run.participants[0]?.results.flatMap(({ kind, reason }) => (reason ? [`${kind}: ${reason}`] : [])),
      [
        'burst: output.nonce is wrong',
        'forged: the endpoint answered 200, not 401 or 403, to a message that is forged',
        'large: the endpoint answered 500, not 200',
      ],
    )
  })

  test('participants are added while the run is OPEN, by its creator, once', async () => {
    const run = await open('smoke')
    const outsider = await registerHuman(service)
    const add = (body: object, token?: string) => post(`/${run.id}/participants`, body, token)
    assert.equal((await add({ agentId: agent.id }, outsider.token)).status, 403)
    const theirs = await publishAgent(service, outsider)
    assert.equal((await add({ agentId: theirs.id })).status, 403)
    assert.deepEqual((await add({ agentId: agent.id })).body.message, 'Agent already participates')
    const bare = await publishAgent(service, owner)
    const without = await add({ agentId: bare.id })
    assert.deepEqual([without.status, without.body.message], [400, 'Agent has no endpoint'])
    const mute = await publishAgent(service, owner, { ap2Endpoint: agentProcess.url })
    const unsigned = await add({ agentId: mute.id })
    assert.deepEqual([unsigned.status, unsigned.body.message], [400, 'Agent has no webhook secret'])
    const other = await signedAgent()
    const added = await add({ agentId: other.id, role: 'baseline' })
    assert.deepEqual(
      [added.status, added.body.participants.map(({ role, status }) => `${role} ${status}`)],
      [201, ['subject PENDING', 'baseline PENDING']],
    )
    assert.equal((await post(`/${run.id}/start`, undefined, outsider.token)).status, 403)
    assert.equal((await post(`/${run.id}/start`)).status, 200)
    const late = await add({ agentId: bare.id })
    assert.deepEqual([late.status, late.body.message.startsWith('Cannot add participant while')], [409, true])
    // The baseline has another secret than the process: it fails, and does not decide.
    const { status, score, certificateId, participants } = await ended(run.id)
    assert.deepEqual(
      [status, score, certificateId, participants.map(({ score }) => score)],
      ['PASSED', 100, participants[0]?.certificateId, [100, 0]],
    )
    assert.equal((await post(`/${run.id}/start`)).status, 409)
  })

  test('a run is aborted by its creator or an admin, and takes up no further task', async () => {
    agentProcess.behave = () => ({ hang: true })
    const run = await started('smoke')
    const outsider = await registerHuman(service)
    assert.equal((await post(`/${run.id}/abort`, {}, outsider.token)).status, 403)
    const { status, body } = await post(`/${run.id}/abort`, { reason: 'Wrong endpoint' })
    agentProcess.behave = () => undefined
    assert.deepEqual(
      [status, body.status, body.abortReason, body.participants[0]?.status],
      [200, 'ABORTED', 'Wrong endpoint', 'ABORTED'],
    )
    assert.equal((await post(`/${run.id}/abort`, {})).status, 409)
    const second = await open('smoke')
    assert.equal((await post(`/${second.id}/abort`, {}, await service.adminToken())).body.status, 'ABORTED')
    assert.equal((await post(`/${second.id}/start`)).status, 409)
  })

  test('a run needs a participant, and three of an account are in progress at most', async () => {
    const { body: empty } = await post('', { suite: 'smoke' })
    const refused = await post(`/${empty.id}/start`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'CERTIFICATION_WITHOUT_PARTICIPANT'])
    assert.equal((await post('', { suite: 'chess', agentId: agent.id })).status, 400)
    assert.equal((await post('', { suite: 'smoke', agentId: owner.id })).status, 404)
    const twice = { suite: 'smoke', agentId: agent.id, participants: [{ agentId: agent.id }] }
    assert.equal((await post('', twice)).status, 409)
    assert.equal((await service.http('GET', '/certification-runs/none')).status, 404)
    agentProcess.behave = () => ({ hang: true })
    const busy = await Promise.all(Array.from({ length: 3 }, () => started('smoke')))
    const { status, body } = await post(`/${(await open('smoke')).id}/start`)
    assert.deepEqual([status, body.code], [409, 'CERTIFICATION_TOO_MANY'])
    await Promise.all(busy.map(({ id }) => post(`/${id}/abort`, {})))
    agentProcess.behave = () => undefined
    const { body: list } = await service.http<{ items: Run[]; total: number }>(
      'GET',
      '/certification-runs?limit=2',
      {
        token: owner.token,
      },
    )
    assert.deepEqual([list.items.length, list.items[0]?.status], [2, 'OPEN'])
    assert.ok(list.total > 5)
  })
})

/** What a person would do on the pages of the suite. */
async function browse(
  { browser }: TestBrowser,
  kind: string,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const page = await browser.newPage()
  try {
    await page.goto(String(input.url))
    if (kind === 'script') {
      const shown = await page.getByText('Access code:').textContent()
      return { code: shown?.split(': ')[1] }
    }
    if (kind === 'click') {
      for (let n = 0; n < Number(input.clicks); n++) await page.getByRole('button').click()
      return { number: await page.locator('#number').textContent() }
    }
    if (kind === 'form') {
      await page.getByLabel('Name').fill(String(input.name))
      await page.getByLabel('Quantity').fill(String(input.quantity))
      await page.getByRole('button').click()
      return { code: await page.locator('#code').textContent() }
    }
    for (let sum = 0; ;) {
      for (const row of (await page.getByRole('row').allTextContents()).slice(1)) {
        const [, category, price] = row.trim().split(/\s*\n\s*/)
        if (category === input.category) sum += Number(price)
      }
      const next = page.getByRole('link', { name: 'Next page' })
      if (!(await next.count())) return { sum }
      await next.click()
      await page.waitForLoadState()
    }
  } finally {
    await page.close()
  }
}
