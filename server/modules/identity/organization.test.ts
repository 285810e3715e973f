import { after, before, beforeEach, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '#platform/id'
import { joinOrganization, registerHuman, startTestService, type Person, type TestService } from '#test'

interface Organization {
  id: string
  slug: string
  name: string
  role: string
  suggestions?: string[]
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
const freshSlug = () => `works-${counter++}`

suite('organizations', () => {
  let service: TestService
  let owner: Person
  let admin: Person
  let member: Person
  let stranger: Person
  let slug: string
  before(async () => {
    service = await startTestService()
    ;[owner, admin, member, stranger] = [
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
  const join = (by: Person, person: Person, role: string) => joinOrganization(service, by, person, { slug, role })
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
  const actions = async (id: string) => {
    interface Event { action: string; details: unknown; actorId: string }
    const token = await service.adminToken()
    const { body } = await service.http<{ items: Event[] }>('GET', `/admin/audit?limit=100&targetId=${id}`, { token })
    return body.items.reverse()
  }

  beforeEach(async () => {
    slug = (await make()).slug
    await join(owner, admin, 'ADMIN')
    await join(owner, member, 'MEMBER')
  })

  test('its maker is its OWNER, and it is listed to its members, newest first', async () => {
    const maker = await registerHuman(service)
    const [first, second] = [await make(maker), await make(maker)]
    assert.deepEqual([first.name, first.role], ['Engine Works', 'OWNER'])
    const list = await call<{ items: Organization[]; total: number }>('GET', '?limit=1', maker)
    assert.deepEqual([list.body.items.map(each => each.id), list.body.total], [[second.id], 2])
    const read = await call('GET', `/${slug}`, member)
    assert.deepEqual([read.status, read.body.slug, read.body.role], [200, slug, 'MEMBER'])
  })

  test('of many with one slug at once one is made; the others are offered free ones', async () => {
    const wanted = freshSlug()
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) => call('POST', '', i % 2 ? owner : stranger, { slug: wanted, name: 'Same' })),
    )
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [201, ...Array.from({ length: 15 }, () => 409)],
    )
    const refused = answers.find(({ status }) => status === 409)
    assert.equal(refused?.body.message, 'Slug already exists')
    assert.equal(refused.body.suggestions?.length, 3)
    for (const free of refused.body.suggestions)
      assert.equal((await call('POST', '', owner, { slug: free, name: 'Near' })).status, 201, free)
  })

  test('a slug or name that is none is a 400', async () => {
    for (const bad of ['Upper', 'ab', '-works', 'works-', 'wo--rks', 'w/o', 'x'.repeat(81), '', 'admin', 'svc'])
      assert.equal((await call('POST', '', owner, { slug: bad, name: 'Name' })).status, 400, bad)
    for (const name of ['', '   ', 'x'.repeat(101), undefined])
      assert.equal((await call('POST', '', owner, { slug: freshSlug(), name })).status, 400, String(name))
  })

  test('an unknown one is a 404 and another\'s a 403, whatever is asked of it', async () => {
    const one = `/${slug}/members/${member.id}`
    for (const [method, path, body] of [
      ['GET', `/${slug}`, undefined],
      ['PATCH', `/${slug}`, { name: 'Taken over' }],
      ['GET', `/${slug}/members`, undefined],
      ['POST', `/${slug}/members`, { userId: stranger.id, role: 'MEMBER' }],
      ['PATCH', one, { role: 'OWNER' }],
      ['DELETE', one, undefined],
    ] as const) {
      assert.equal((await call(method, path, stranger, body)).status, 403, `${method} ${path}`)
      assert.equal((await call(method, path.replace(slug, 'nobodys'), owner, body)).status, 404, `${method} ${path}`)
    }
    assert.deepEqual(await roles(), { [owner.id]: 'OWNER', [admin.id]: 'ADMIN', [member.id]: 'MEMBER' })
  })

  test('OWNER and ADMIN rename it, a MEMBER does not', async () => {
    assert.equal((await call('PATCH', `/${slug}`, member, { name: 'Mine' })).status, 403)
    for (const who of [admin, owner]) {
      const { status, body } = await call('PATCH', `/${slug}`, who, { name: `By ${who.id}` })
      assert.deepEqual([status, body.name, body.slug], [200, `By ${who.id}`, slug])
    }
  })

  test('members see each other, and no e-mail of anybody', async () => {
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

  test('a person is invited by id or user name, and an email address finds nobody', async () => {
    const username = `scribe_${counter++}`
    const agent = await service.http<{ user: { id: string }; accessToken: string }>('POST', '/auth/register-agent', { body: { username } })
    const byName = (name: string) =>
      call<Member>('POST', `/${slug}/members`, owner, { username: name, role: 'MEMBER' })
    const added = await byName(username.toUpperCase())
    assert.deepEqual([added.status, added.body.userId, added.body.username], [201, agent.body.user.id, username])
    assert.equal((await roles())[agent.body.user.id], undefined)
    assert.equal((await call('POST', `/${slug}/accept`, { ...owner, token: agent.body.accessToken })).status, 200)
    const again = await add(owner, agent.body.user.id, 'ADMIN')
    assert.deepEqual([again.status, again.body.message], [409, 'Already a member'])
    assert.equal((await roles())[agent.body.user.id], 'MEMBER')
    for (const userId of [newId(), 'nonsense']) assert.equal((await add(owner, userId, 'MEMBER')).status, 404)
    assert.equal((await byName('nobody_here')).status, 404)
    const byMail = (email: string) => call('POST', `/${slug}/members`, owner, { email, role: 'MEMBER' })
    const [known, unknown] = [await byMail(stranger.email), await byMail('nobody@example.com')]
    assert.deepEqual([known.status, known.body.message], [400, unknown.body.message])
    for (const body of [
      { role: 'MEMBER' },
      { userId: stranger.id, username, role: 'MEMBER' },
      { userId: stranger.id },
      { userId: stranger.id, role: 'KING' },
    ])
      assert.equal((await call('POST', `/${slug}/members`, owner, body)).status, 400, JSON.stringify(body))
  })

  test('an ADMIN runs the members but makes and unmakes no OWNER; a MEMBER only leaves', async () => {
    const refused = await Promise.all([
      add(admin, stranger.id, 'OWNER'),
      setRole(admin, admin.id, 'OWNER'),
      setRole(admin, member.id, 'OWNER'),
      setRole(admin, owner.id, 'MEMBER'),
      remove(admin, owner.id),
      add(member, stranger.id, 'MEMBER'),
      setRole(member, member.id, 'ADMIN'),
      setRole(member, admin.id, 'MEMBER'),
      remove(member, admin.id),
    ])
    assert.deepEqual(refused.map(({ status }) => status), Array.from({ length: 9 }, () => 403))
    assert.deepEqual(await roles(), { [owner.id]: 'OWNER', [admin.id]: 'ADMIN', [member.id]: 'MEMBER' })
    await join(admin, stranger, 'ADMIN')
    assert.equal((await setRole(admin, stranger.id, 'MEMBER')).body.role, 'MEMBER')
    assert.deepEqual([(await remove(admin, stranger.id)).status, (await remove(member, member.id)).status], [204, 204])
    assert.equal((await membersSeenBy(member)).status, 403)
    assert.deepEqual(await roles(), { [owner.id]: 'OWNER', [admin.id]: 'ADMIN' })
    for (const userId of [newId(), 'nonsense', member.id]) {
      assert.equal((await setRole(owner, userId, 'ADMIN')).status, 404)
      assert.equal((await remove(owner, userId)).status, 404)
    }
  })

  test('its last OWNER neither leaves nor steps down; after another was made, either', async () => {
    for (const refused of [await remove(owner, owner.id), await setRole(owner, owner.id, 'ADMIN')]) {
      assert.deepEqual([refused.status, refused.body.message], [409, 'An organization must keep an OWNER'])
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

  test('of OWNERs who all leave, step down or take each other out at once one is left, ten times over', async () => {
    for (let round = 0; round < 10; round++) {
      slug = (await make()).slug
      const owners = [owner, admin, member, stranger]
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

  test('the database itself keeps an OWNER, whoever writes to it at the same time', async () => {
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

  test('every change stands in the audit log, with who did it and no name', async () => {
    const { id } = (await call('GET', `/${slug}`, owner)).body
    await call('PATCH', `/${slug}`, admin, { name: 'Renamed Works' })
    await setRole(owner, member.id, 'ADMIN')
    await remove(admin, member.id)
    await remove(admin, admin.id)
    const events = await actions(id)
    assert.deepEqual(
      events.map(({ action, actorId }) => [action, actorId]),
      [
        ['organization.created', owner.id],
        ['organization.member_invited', owner.id],
        ['organization.member_joined', admin.id],
        ['organization.member_invited', owner.id],
        ['organization.member_joined', member.id],
        ['organization.renamed', admin.id],
        ['organization.member_role_changed', owner.id],
        ['organization.member_removed', admin.id],
        ['organization.member_left', admin.id],
      ],
    )
    assert.deepEqual(events[6]?.details, { userId: member.id, from: 'MEMBER', to: 'ADMIN' })
    assert.ok(!JSON.stringify(events).includes('Works'))
  })

  test('nobody owns more than the most', async () => {
    const many = await registerHuman(service)
    await make(many)
    await service.services.db.pool.query(
      `with made as (insert into identity_organization (id, slug, name, created_at, updated_at)
         select gen_random_uuid(), 'many-' || n, 'Many', now(), now() from generate_series(1, 99) n returning id)
       insert into identity_member (organization_id, account_id, role, joined_at, updated_at)
         select id, $1, 'OWNER', now(), now() from made`,
      [many.id],
    )
    const refused = await call('POST', '', many, { slug: freshSlug(), name: 'One more' })
    assert.deepEqual([refused.status, refused.body.message.split(':')[0]], [409, 'Too many organizations'])
  })
})
