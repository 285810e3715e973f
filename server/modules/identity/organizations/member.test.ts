import { after, before, beforeEach, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '#platform/kernel/id'
import { joinOrganization, registerHuman, sharedService, type Person, type TestService } from '#test'

interface Organization {
  id: string
  slug: string
  role: string
  message: string | string[]
}
interface Member {
  userId: string
  displayName: string | null
  username: string | null
  role: string
  status: string
  pendingRole: string | null
}

let counter = 0
const freshSlug = () => `crew-${counter++}`

suite('members of an organization', () => {
  let service: TestService
  let owner: Person
  let admin: Person
  let member: Person
  let outsider: Person
  let slug: string
  before(async () => {
    service = await sharedService()
    ;[owner, admin, member, outsider] = [
      await registerHuman(service),
      await registerHuman(service),
      await registerHuman(service),
      await registerHuman(service),
    ]
  })
  after(() => service.close())

  const call = <T = Organization>(method: string, path: string, { token }: Person, body?: object) =>
    service.http<T & { message: string }>(method, `/organizations${path}`, { token, body })
  const make = async (who = owner) => {
    const made = await call('POST', '', who, { slug: freshSlug(), name: 'Engine Works' })
    assert.equal(made.status, 201, made.text)
    return made.body
  }
  const add = (who: Person, userId: string, role: string) =>
    call<Member>('POST', `/${slug}/members`, who, { userId, role })
  const accept = (who: Person, of = slug) => call('POST', `/${of}/accept`, who)
  const join = (by: Person, person: Person, role: string) =>
    joinOrganization(service, by, person, { slug, role })
  const setRole = (who: Person, userId: string, role: string) =>
    call<Member>('PATCH', `/${slug}/members/${userId}`, who, { role })
  const remove = (who: Person, userId: string) => call('DELETE', `/${slug}/members/${userId}`, who)
  const membersSeenBy = (who: Person, query = '') =>
    call<{ items: Member[]; total: number }>('GET', `/${slug}/members${query}`, who)
  const roles = async () => {
    const { rows } = await service.services.db.pool.query<{ account_id: string; role: string }>(
      'select account_id, role from identity_member join identity_organization on id = organization_id where slug = $1',
      [slug],
    )
    return Object.fromEntries(rows.map(row => [row.account_id, row.role]))
  }
  beforeEach(async () => {
    slug = (await make()).slug
    await join(owner, admin, 'ADMIN')
    await join(owner, member, 'MEMBER')
  })

  test('shows members to members, without email addresses', async () => {
    const { body, text } = await membersSeenBy(member)
    assert.deepEqual(
      body.items.map(({ userId, role }) => [userId, role]),
      [
        [owner.id, 'OWNER'],
        [admin.id, 'ADMIN'],
        [member.id, 'MEMBER'],
      ],
    )
    assert.ok(!text.includes('@'))
    const page = await membersSeenBy(member, '?limit=1&offset=1')
    assert.deepEqual([page.body.items.map(each => each.userId), page.body.total], [[admin.id], 3])
  })

  test('invites by id or username, never by email address', async () => {
    const username = `scribe_${counter++}`
    const agent = await service.http<{ user: { id: string }; accessToken: string }>(
      'POST',
      '/auth/register-agent',
      { body: { username } },
    )
    const byName = (name: string) =>
      call<Member>('POST', `/${slug}/members`, owner, { username: name, role: 'MEMBER' })
    const added = await byName(username.toUpperCase())
    assert.deepEqual(
      [added.status, added.body.userId, added.body.username],
      [201, agent.body.user.id, username],
    )
    assert.equal((await roles())[agent.body.user.id], undefined)
    assert.equal(
      (await call('POST', `/${slug}/accept`, { ...owner, token: agent.body.accessToken })).status,
      200,
    )
    const again = await add(owner, agent.body.user.id, 'ADMIN')
    assert.deepEqual([again.status, again.body.message], [409, 'Already a member'])
    assert.equal((await roles())[agent.body.user.id], 'MEMBER')
    for (const userId of [newId(), 'nonsense']) assert.equal((await add(owner, userId, 'MEMBER')).status, 404)
    assert.equal((await byName('nobody_here')).status, 404)
    const byMail = (email: string) => call('POST', `/${slug}/members`, owner, { email, role: 'MEMBER' })
    const [known, unknown] = [await byMail(outsider.email), await byMail('nobody@example.com')]
    assert.deepEqual([known.status, known.body.message], [400, unknown.body.message])
    for (const body of [
      { role: 'MEMBER' },
      { userId: outsider.id, username, role: 'MEMBER' },
      { userId: outsider.id },
      { userId: outsider.id, role: 'KING' },
    ])
      assert.equal((await call('POST', `/${slug}/members`, owner, body)).status, 400, JSON.stringify(body))
  })

  test('an ADMIN changes members but no OWNER; a MEMBER can only leave', async () => {
    const refused = await Promise.all([
      add(admin, outsider.id, 'OWNER'),
      setRole(admin, admin.id, 'OWNER'),
      setRole(admin, member.id, 'OWNER'),
      setRole(admin, owner.id, 'MEMBER'),
      remove(admin, owner.id),
      add(member, outsider.id, 'MEMBER'),
      setRole(member, member.id, 'ADMIN'),
      setRole(member, admin.id, 'MEMBER'),
      remove(member, admin.id),
    ])
    assert.deepEqual(
      refused.map(({ status }) => status),
      Array.from({ length: 9 }, () => 403),
    )
    assert.deepEqual(await roles(), { [owner.id]: 'OWNER', [admin.id]: 'ADMIN', [member.id]: 'MEMBER' })
    await join(admin, outsider, 'ADMIN')
    assert.equal((await setRole(admin, outsider.id, 'MEMBER')).body.role, 'MEMBER')
    assert.deepEqual(
      [(await remove(admin, outsider.id)).status, (await remove(member, member.id)).status],
      [204, 204],
    )
    assert.equal((await membersSeenBy(member)).status, 403)
    assert.deepEqual(await roles(), { [owner.id]: 'OWNER', [admin.id]: 'ADMIN' })
    for (const userId of [newId(), 'nonsense', member.id]) {
      assert.equal((await setRole(owner, userId, 'ADMIN')).status, 404)
      assert.equal((await remove(owner, userId)).status, 404)
    }
  })

  test('keeps the last OWNER until another member accepts the role', async () => {
    for (const refused of [await remove(owner, owner.id), await setRole(owner, owner.id, 'ADMIN')]) {
      assert.deepEqual([refused.status, refused.body.message], [409, 'An organization must have an OWNER'])
    }
    const { body: asked } = await setRole(owner, admin.id, 'OWNER')
    assert.deepEqual([asked.role, asked.pendingRole], ['ADMIN', 'OWNER'])
    assert.equal((await accept(admin)).body.role, 'OWNER')
    assert.equal((await setRole(owner, owner.id, 'MEMBER')).body.role, 'MEMBER')
    await setRole(admin, owner.id, 'OWNER')
    assert.equal((await accept(owner)).status, 200)
    assert.equal((await remove(admin, admin.id)).status, 204)
    assert.deepEqual(await roles(), { [owner.id]: 'OWNER', [member.id]: 'MEMBER' })
  })

  test('keeps one OWNER when all leave or remove each other concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      slug = (await make()).slug
      const owners = [owner, admin, member, outsider]
      for (const person of owners.slice(1)) await join(owner, person, 'OWNER')
      const answers = await Promise.all(
        owners.flatMap((who, i) => [
          remove(who, who.id),
          setRole(who, who.id, 'MEMBER'),
          remove(who, owners[(i + 1) % owners.length]?.id ?? ''),
        ]),
      )
      for (const { status, text } of answers) assert.ok([200, 204, 403, 404, 409].includes(status), text)
      assert.ok(Object.values(await roles()).filter(role => role === 'OWNER').length >= 1)
    }
  })

  test('the database rejects concurrent statements that would remove all OWNERs', async () => {
    const { id } = (await call('GET', `/${slug}`, owner)).body
    await setRole(owner, admin.id, 'OWNER')
    await accept(admin)
    const { pool } = service.services.db
    const [first, second] = [await pool.connect(), await pool.connect()]
    const leave = (client: typeof first, userId: string) =>
      client.query('delete from identity_member where organization_id = $1 and account_id = $2', [id, userId])
    try {
      await first.query('begin')
      await second.query('begin')
      await leave(first, owner.id)
      const refused = assert.rejects(leave(second, admin.id), { constraint: 'identity_member_one_owner' })
      // Time enough for a rule that does not wait to see an owner who is about to go.
      await Promise.race([refused, sleep(500)])
      await first.query('commit')
      await refused
      await second.query('commit')
    } finally {
      first.release()
      second.release()
    }
    assert.equal((await roles())[admin.id], 'OWNER')
  })
})
