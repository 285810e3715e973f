import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { agentKeys } from '#agents'
import { eventually, publishAgent, registerHuman, sharedService } from '#test'
import type { ListedAgent, Person, TestService } from '#test'
import { startAgentProcess, type AgentProcess } from '../../../test/support/people/certified-agent.ts'
import type { SuiteId } from './suites/suites.ts'
import { newId } from '#platform/kernel/id'

const DAY = 86_400

interface Report {
  score: number
  components: Record<string, number>
  evidence: { certification: { inFavor: number; all: number } }
  certificates: {
    benchmark_track: string
    certificate_id: string
    tasks: number
    passedTasks: number
    weight: number
  }[]
}

suite('certificates count for the trust score', () => {
  let service: TestService
  let owner: Person
  let agentProcess: AgentProcess
  let agent: ListedAgent
  before(async () => {
    service = await sharedService()
    owner = await registerHuman(service)
    agentProcess = await startAgentProcess()
    agent = await publishAgent(service, owner, { ap2Endpoint: agentProcess.url })
    const { createWebhookSecret } = agentKeys.webhookSecrets
    const secret = await service.services.db.transaction(tx =>
      createWebhookSecret(tx, service.services, agent.id, newId()),
    )
    agentProcess.secret ||= secret ?? ''
  })
  after(async () => {
    await agentProcess.close()
    await service.close()
  })

  async function run(suite: SuiteId): Promise<{ status: string; certificateId: string | null }> {
    const post = async (path: string, body?: object) => {
      const { token } = owner
      const { status, text, body: run } = await service.http<{ id: string }>('POST', path, { token, body })
      assert.ok(status < 300, text)
      return run
    }
    const { id } = await post('/certification-runs', { suite, agentId: agent.id })
    await post(`/certification-runs/${id}/start`)
    const read = async () =>
      (
        await service.http<{ status: string; certificateId: string | null }>(
          'GET',
          `/certification-runs/${id}`,
        )
      ).body
    await eventually(
      `run ${id} has ended`,
      async () => !['QUEUED', 'RUNNING'].includes((await read()).status),
    )
    return read()
  }
  const report = async () => (await service.http<Report>('GET', `/trust/${agent.id}/score`)).body
  const listedScore = async () => {
    await service.advance(6)
    return (await service.http<{ trustScore: number }>('GET', `/agents/${agent.id}`)).body.trustScore
  }
  const newestChange = async () =>
    (
      await service.http<{ items: { reason: string; score: { from: number; to: number } }[] }>(
        'GET',
        `/trust/${agent.id}/history`,
      )
    ).body.items[0]

  test('the tasks of a certificate are evidence, and the explanation names it', async () => {
    assert.deepEqual([(await report()).certificates, await listedScore()], [[], 0])
    const { certificateId } = await run('smoke')
    const { score, components, evidence, certificates } = await report()
    assert.deepEqual(
      certificates.map(({ benchmark_track, certificate_id, tasks, passedTasks }) => [
        benchmark_track,
        certificate_id,
        tasks,
        passedTasks,
      ]),
      [['smoke', certificateId, 3, 3]],
    )
    assert.deepEqual(evidence.certification, { inFavor: 3, all: 3 })
    // Wilson's lower bound of 3 of 3 is 0.438, and a tenth of it counts.
    assert.deepEqual([components['certification'], score], [0.438, 4])
    assert.equal(await listedScore(), 4)
    assert.deepEqual(await newestChange().then(change => [change?.reason, change?.score]), [
      'CERTIFICATION',
      { from: 0, to: 4 },
    ])
  })

  test('another suite adds to it, and a failed repetition takes its part away', async () => {
    await run('reasoning')
    assert.deepEqual((await report()).evidence.certification, { inFavor: 13, all: 13 })
    assert.equal(await listedScore(), 8)
    agentProcess.behave = () => ({ status: 500 })
    assert.equal((await run('reasoning')).status, 'FAILED')
    agentProcess.behave = () => undefined
    assert.deepEqual((await report()).evidence.certification, { inFavor: 3, all: 3 })
    assert.equal(await listedScore(), 4)
  })

  test('so does a run that is aborted when a task has failed; one without a failure does not', async () => {
    const abortAfter = async (answer: AgentProcess['behave'], isReady: (results: number) => boolean) => {
      agentProcess.behave = answer
      const { token } = owner
      const { body } = await service.http<{ id: string }>('POST', '/certification-runs', {
        token,
        body: { suite: 'reliability', agentId: agent.id },
      })
      await service.http('POST', `/certification-runs/${body.id}/start`, { token })
      await eventually('a task has ended', async () => {
        const { participants } = (
          await service.http<{ participants: { results: unknown[] }[] }>(
            'GET',
            `/certification-runs/${body.id}`,
          )
        ).body
        return isReady(participants[0]?.results.length ?? 0)
      })
      const { status } = await service.http('POST', `/certification-runs/${body.id}/abort`, { token })
      agentProcess.behave = () => undefined
      return status
    }
    assert.equal((await run('reliability')).status, 'PASSED')
    const { evidence } = await report()
    let asked = 0
    assert.equal(
      await abortAfter(
        () => ({ hang: true }),
        () => true,
      ),
      200,
    )
    assert.deepEqual((await report()).evidence, evidence)
    const failOnce: AgentProcess['behave'] = () => (asked++ ? { hang: true } : { status: 500 })
    assert.equal(await abortAfter(failOnce, results => results > 0), 200)
    assert.deepEqual((await report()).evidence.certification, { inFavor: 3, all: 3 })
  })

  test('the score follows when the certificate ages and expires', async () => {
    await service.advance(45 * DAY)
    const [certificate] = (await report()).certificates
    assert.ok(certificate && Math.abs(certificate.weight - 0.707) < 0.01, JSON.stringify(certificate))
    await service.advance(46 * DAY)
    assert.deepEqual([(await report()).certificates, await listedScore()], [[], 0])
  })
})
