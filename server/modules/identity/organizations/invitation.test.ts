import { after, before, beforeEach, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import {
  eventually,
  fund,
  joinOrganization,
  mailsTo,
  mailTo,
  registerHuman,
  sharedService,
  type Person,
  type TestService,
} from '#test'

interface Body {
  id: string
  code?: string
  displayName: string | null
  username: string | null
  role: string
  status: string
  pendingRole: string | null
  items: { slug: string; role: string; status: string; userId: string }[]
  total: number
}

let counter = 0

/** Nobody becomes a member or an OWNER without accepting it, and whoever owns an empty organization can close it. */
suite('invitations to an organization', () => {
  let service: TestService
  let owner: Person
  let person: Person
  let slug: string
  before(async () => {
    service = await sharedService()
    owner = await registerHuman(service)
  })
  after(() => service.close())
  beforeEach(async () => {
    slug = `invited-${counter++}`
    person = await registerHuman(service)
    assert.equal((await call('POST', '/organizations', owner, { slug, name: 'Engine Works' })).status, 201)
  })

  const call = (method: string, path: string, { token }: Person, body?: object) =>
    service.http<Body>(method, path, { token, body })
  const invite = (role: string, who = person, by = owner) =>
    call('POST', `/organizations/${slug}/members`, by, { userId: who.id, role })
  const answer = (verb: 'accept' | 'decline', who = person) =>
    call('POST', `/organizations/${slug}/${verb}`, who)
  const read = async (who = person) => (await call('GET', `/organizations/${slug}`, who)).status
  const mine = async (who = person) => (await call('GET', '/users/me/invitations', who)).body
  const close = (who = owner) => call('DELETE', `/organizations/${slug}`, who)
  const codeOf = ({ status, body }: { status: number; body: Body | undefined }) => [status, body?.code]

  test('an invited person is not a member yet, and the response has no name', async () => {
    const { status, body } = await invite('ADMIN')
    assert.deepEqual(
      [status, body.status, body.role, body.displayName, body.username],
      [201, 'INVITED', 'ADMIN', null, null],
    )
    assert.equal(await read(), 403)
    assert.equal((await call('GET', `/wallets/org/${slug}`, person)).status, 403)
    const { body: members } = await call('GET', `/organizations/${slug}/members`, owner)
    assert.deepEqual(
      members.items.map(({ userId, status }) => [userId, status]),
      [
        [owner.id, 'ACTIVE'],
        [person.id, 'INVITED'],
      ],
    )
    const { text } = await mailTo(service, person.email, /invited to join/)
    assert.match(text, new RegExp(slug))
    assert.ok(text.includes(`See the invitation: ${service.baseUrl}/app/organizations\n`), text)
  })

  test('only the invited person can read, accept or decline it, once', async () => {
    await invite('ADMIN')
    const { items, total } = await mine()
    assert.deepEqual([items.map(each => [each.slug, each.role]), total], [[[slug, 'ADMIN']], 1])
    const outsider = await registerHuman(service)
    for (const verb of ['accept', 'decline'] as const)
      assert.deepEqual(codeOf(await answer(verb, outsider)), [404, 'INVITATION_NOT_FOUND'])
    assert.deepEqual([(await answer('accept')).body.role, await read()], ['ADMIN', 200])
    assert.deepEqual(codeOf(await answer('accept')), [404, 'INVITATION_NOT_FOUND'])
    await invite('MEMBER', outsider)
    assert.deepEqual(
      [(await answer('decline', outsider)).status, await read(outsider), (await mine(outsider)).total],
      [204, 403, 0],
    )
  })

  test('of 16 concurrent acceptances one succeeds', async () => {
    await Promise.all(Array.from({ length: 4 }, () => invite('MEMBER')))
    const answers = await Promise.all(Array.from({ length: 16 }, () => answer('accept')))
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, ...Array.from({ length: 15 }, () => 404)],
    )
  })

  test('ends when it is withdrawn and when the inviter loses the right to invite', async () => {
    await invite('MEMBER')
    assert.equal((await call('DELETE', `/organizations/${slug}/members/${person.id}`, owner)).status, 204)
    assert.equal((await answer('accept')).status, 404)
    const admin = await registerHuman(service)
    await joinOrganization(service, owner, admin, { slug, role: 'ADMIN' })
    assert.equal((await invite('MEMBER', person, admin)).status, 201)
    await call('PATCH', `/organizations/${slug}/members/${admin.id}`, owner, { role: 'MEMBER' })
    assert.deepEqual([(await answer('accept')).status, (await mine()).total], [404, 0])
    const { items } = (await call('GET', `/organizations/${slug}/members`, owner)).body
    assert.ok(!items.some(({ userId }) => userId === person.id))
    await call('PATCH', `/organizations/${slug}/members/${admin.id}`, owner, { role: 'ADMIN' })
    assert.deepEqual([(await answer('accept')).status, (await mine()).total], [404, 0])
    // A new one after it is mailed again.
    await invite('MEMBER')
    await eventually('a mail for each of three invitations', async () => {
      const mails = await mailsTo(service, person.email)
      return mails.filter(({ text }) => /invited to join/.test(text)).length === 3
    })
    await call('DELETE', `/organizations/${slug}/members/${admin.id}`, owner)
    assert.equal((await answer('accept')).status, 200)
  })

  test('to OWNER is replaced and withdrawn by an OWNER alone', async () => {
    const [admin, member] = [await registerHuman(service), await registerHuman(service)]
    await joinOrganization(service, owner, admin, { slug, role: 'ADMIN' })
    await joinOrganization(service, owner, member, { slug, role: 'MEMBER' })
    await invite('OWNER')
    const pathOf = ({ id }: Person) => `/organizations/${slug}/members/${id}`
    await call('PATCH', pathOf(member), owner, { role: 'OWNER' })
    const refused = [
      await invite('MEMBER', person, admin),
      await call('DELETE', pathOf(person), admin),
      await call('PATCH', pathOf(member), admin, { role: 'ADMIN' }),
      await call('DELETE', pathOf(member), admin),
    ]
    assert.deepEqual(
      refused.map(({ status }) => status),
      [403, 403, 403, 403],
    )
    assert.deepEqual([(await mine()).items[0]?.role, (await mine(member)).items[0]?.role], ['OWNER', 'OWNER'])
    assert.equal((await call('DELETE', pathOf(member), member)).status, 204, 'a member may leave')
    assert.equal((await invite('ADMIN')).body.role, 'ADMIN')
    assert.equal((await invite('MEMBER', person, admin)).body.role, 'MEMBER')
    assert.equal((await call('DELETE', pathOf(person), admin)).status, 204)
  })

  test('of a suspended person is not valid', async () => {
    const second = await registerHuman(service)
    await joinOrganization(service, owner, second, { slug, role: 'OWNER' })
    await invite('OWNER', person, second)
    const token = await service.adminToken()
    const body = { reason: 'Stolen account' }
    await service.http('POST', `/admin/users/${second.id}/suspend`, { token, body })
    assert.deepEqual([(await answer('accept')).status, (await mine()).total], [404, 0])
    assert.equal((await call('GET', `/organizations/${slug}/members`, owner)).body.total, 2)
  })

  test('a member becomes OWNER by accepting, unless the limit is reached', async () => {
    await joinOrganization(service, owner, person, { slug, role: 'MEMBER' })
    const { body } = await call('PATCH', `/organizations/${slug}/members/${person.id}`, owner, {
      role: 'OWNER',
    })
    assert.deepEqual([body.role, body.pendingRole], ['MEMBER', 'OWNER'])
    assert.equal((await call('DELETE', `/organizations/${slug}/members/${owner.id}`, owner)).status, 409)
    await service.services.db.pool.query(
      `with made as (insert into identity_organization (id, slug, name, created_at, updated_at)
         select gen_random_uuid(), 'full-' || n, 'Full', now(), now() from generate_series(1, 100) n returning id)
       insert into identity_member (organization_id, account_id, role, joined_at, updated_at)
         select id, $1, 'OWNER', now(), now() from made`,
      [person.id],
    )
    assert.deepEqual(codeOf(await answer('accept')), [409, 'TOO_MANY_ORGANIZATIONS'])
    await service.services.db.pool.query(
      `update identity_organization set slug = null, name = '', closed_at = now() where slug like 'full-%'`,
    )
    await service.services.db.pool.query(
      `delete from identity_member where account_id = $1 and role = 'OWNER'`,
      [person.id],
    )
    assert.equal((await answer('accept')).body.role, 'OWNER')
  })

  test('a role that is set afterwards withdraws the pending offer of OWNER', async () => {
    await joinOrganization(service, owner, person, { slug, role: 'ADMIN' })
    const setRole = (role: string) =>
      call('PATCH', `/organizations/${slug}/members/${person.id}`, owner, { role })
    for (const role of ['MEMBER', 'MEMBER', 'ADMIN']) {
      assert.equal((await setRole('OWNER')).body.pendingRole, 'OWNER')
      const { body } = await setRole(role)
      assert.deepEqual([body.role, body.pendingRole], [role, null])
      assert.equal((await mine()).total, 0)
      assert.deepEqual(codeOf(await answer('accept')), [404, 'INVITATION_NOT_FOUND'])
    }
    const { rows } = await service.services.db.pool.query<{ withdrawn: number }>(
      `select count(*)::int as withdrawn from platform_audit a join identity_organization o on a.target_id = o.id::text
         where a.action = 'organization.member_invitation_withdrawn' and o.slug = $1`,
      [slug],
    )
    assert.equal(rows[0]?.withdrawn, 3)
    assert.equal((await setRole('MEMBER')).status, 200)
  })

  test('an OWNER closes an empty organization; its slug is free again', async () => {
    await joinOrganization(service, owner, person, { slug, role: 'ADMIN' })
    assert.deepEqual(codeOf(await close()), [409, 'ORGANIZATION_NOT_EMPTY'])
    assert.equal((await close(person)).status, 403)
    await call('DELETE', `/organizations/${slug}/members/${person.id}`, owner)
    const { body: wallet } = await call('GET', `/wallets/org/${slug}`, owner)
    await fund(service, { ...owner, walletId: wallet.id }, 5)
    assert.deepEqual(codeOf(await close()), [409, 'WALLET_NOT_EMPTY'])
    await call('POST', `/wallets/${wallet.id}/transfer`, owner, { toWalletId: owner.walletId, amount: 5 })
    await invite('MEMBER')
    assert.equal((await close()).status, 204)
    assert.deepEqual(
      [await read(owner), (await answer('accept')).status, (await mine()).total],
      [404, 404, 0],
    )
    assert.equal((await call('POST', '/organizations', person, { slug, name: 'Another' })).status, 201)
  })
})
