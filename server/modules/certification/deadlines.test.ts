import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentKeys } from '#agents'
import { publishAgent, registerHuman, startTestService, type Person, type TestService } from '#test'
import { startAgentProcess, type AgentProcess } from '../../../test/support/people/certified-agent.ts'
import { SUITES } from './suites/suites.ts'
import { newId } from '#platform/kernel/id'

interface Run {
  id: string
  status: string
  abortReason: string | null
  participants: { status: string; certificateId: string | null; expiresAt: string | null }[]
}
const DAY = 86_400

suite('certification over time', () => {
  let service: TestService
  let owner: Person
  let agentProcess: AgentProcess
  let agentId: string
  before(async () => {
    service = await startTestService()
    owner = await registerHuman(service)
    agentProcess = await startAgentProcess()
    agentId = (await publishAgent(service, owner, { ap2Endpoint: agentProcess.url })).id
    agentProcess.secret =
      (await service.services.db.transaction(tx =>
        agentKeys.webhookSecrets.createWebhookSecret(tx, service.services, agentId, newId()),
      )) ?? ''
  })
  after(async () => {
    await agentProcess.close()
    await service.close()
  })

  const post = async (path: string, body?: object) => {
    const {
      status,
      text,
      body: run,
    } = await service.http<Run>('POST', `/certification-runs${path}`, {
      token: owner.token,
      body,
    })
    assert.ok(status < 300, text)
    return run
  }
  const read = async (id: string) => (await service.http<Run>('GET', `/certification-runs/${id}`)).body
  const certificates = async () =>
    (
      await service.http<{ certifications: { certificate_id: string }[] }>(
        'GET',
        `/agents/${agentId}/passport`,
      )
    ).body.certifications.map(each => each.certificate_id)

  test('a run that nobody starts is aborted after a day', async () => {
    const { id } = await post('', { suite: 'smoke', agentId })
    await service.advance(DAY + 60)
    const { status, participants } = await read(id)
    assert.deepEqual([status, participants[0]?.status], ['ABORTED', 'ABORTED'])
  })

  test('a run that is not finished in time is TIMED_OUT', async () => {
    agentProcess.behave = () => ({ hang: true })
    const { id } = await post('', { suite: 'smoke', agentId })
    await post(`/${id}/start`)
    await service.advance(SUITES.smoke.runSeconds + 60)
    const { status, participants } = await read(id)
    assert.deepEqual([status, participants[0]?.status], ['TIMED_OUT', 'TIMED_OUT'])
    agentProcess.behave = () => undefined
  })

  test('a certificate leaves the passport when it expires', async () => {
    const { id } = await post('', { suite: 'smoke', agentId })
    await post(`/${id}/start`)
    const deadline = Date.now() + 60_000
    for (; (await read(id)).status !== 'PASSED'; await sleep(50)) assert.ok(Date.now() < deadline)
    const [participant] = (await read(id)).participants
    assert.deepEqual(await certificates(), [participant?.certificateId])
    await service.advance(SUITES.smoke.validDays * DAY + 60)
    assert.deepEqual(await certificates(), [])
  })

  test('the deletion of the account ends its runs', async () => {
    const { id } = await post('', { suite: 'smoke', agentId })
    const { status } = await service.http('DELETE', '/users/me', { token: owner.token, body: {} })
    assert.equal(status, 204)
    const run = await read(id)
    assert.equal(run.status, 'ABORTED')
  })
})
