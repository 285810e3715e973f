import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  connectBank,
  fund,
  joinOrganization,
  registerHuman,
  startTestService,
  type Person,
  type TestService,
} from '#test'

interface Body {
  id: string
  code: string
  items: { id: string; status: string }[]
}
const DAY = 86_400

suite('payouts of an organization whose OWNER is suspended', () => {
  let service: TestService
  let admin: string
  let count = 0
  before(async () => {
    service = await startTestService({ PAYOUT_HOLD_MINUTES: '10' })
    admin = await service.adminToken()
  })
  after(() => service.close())

  async function post(path: string, body: object, token: string): Promise<Body> {
    const answer = await service.http<Body>('POST', path, { token, body })
    assert.ok(answer.status <= 201, `${path}: ${answer.text}`)
    return answer.body
  }
  const change = (person: Person, verb: string) =>
    post(`/admin/users/${person.id}/${verb}`, { reason: 'test' }, admin)
  async function states(slug: string, { token }: Person): Promise<string[]> {
    const { body } = await service.http<Body>('GET', `/payouts/org/history/${slug}`, { token })
    return body.items.map(({ status }) => status)
  }

  /** An organization with 2,000 USD, and a member who only reads. */
  async function organization(): Promise<{ slug: string; owner: Person; reader: Person }> {
    const [owner, reader] = [await registerHuman(service), await registerHuman(service)]
    const slug = `suspended-works-${count++}`
    await post('/organizations', { slug, name: 'Works' }, owner.token)
    await joinOrganization(service, owner, reader, { slug, role: 'MEMBER' })
    const wallet = await service.http<Body>('GET', `/wallets/org/${slug}`, { token: owner.token })
    await fund(service, owner, 2000)
    await post(
      `/wallets/${owner.walletId}/transfer`,
      { toWalletId: wallet.body.id, amount: 2000 },
      owner.token,
    )
    await connectBank(service, owner.token, { organizationSlug: slug })
    return { slug, owner, reader }
  }

  test('are neither sent nor approved until the OWNER is reinstated', async () => {
    const { slug, owner, reader } = await organization()
    for (const amount of [5, 1001])
      await post('/payouts/org/request', { organizationSlug: slug, amount }, owner.token)
    await change(owner, 'suspend')
    const { body } = await service.http<Body>('GET', '/admin/approvals?status=PENDING', { token: admin })
    const approve = `/admin/approvals/${body.items[0]?.id}/approve`
    const refused = await service.http<Body>('POST', approve, { token: admin, body: {} })
    assert.deepEqual([refused.status, refused.body.code], [409, 'PAYOUT_OWNER_SUSPENDED'])
    await service.advance(DAY)
    assert.deepEqual(await states(slug, reader), ['REVIEW', 'REQUESTED'])
    await change(owner, 'reinstate')
    await post(approve, {}, admin)
    await service.advance(3 * DAY)
    assert.deepEqual(await states(slug, reader), ['PAID', 'PAID'])
  })

  test('are sent while another person runs the organization', async () => {
    const { slug, owner, reader } = await organization()
    const other = await registerHuman(service)
    await joinOrganization(service, owner, other, { slug, role: 'ADMIN' })
    await post('/payouts/org/request', { organizationSlug: slug, amount: 5 }, owner.token)
    await change(owner, 'suspend')
    await service.advance(3 * DAY)
    assert.deepEqual(await states(slug, reader), ['PAID'])
  })
})
