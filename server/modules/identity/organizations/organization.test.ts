import { after, before, beforeEach, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import {
  holdingLocks,
  joinOrganization,
  registerHuman,
  sharedService,
  type Person,
  type TestService,
} from '#test'

interface Organization {
  id: string
  slug: string
  name: string
  role: string
  suggestions?: string[]
  message: string | string[]
}

let counter = 0
const freshSlug = () => `works-${counter++}`

suite('organizations', () => {
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
  const join = (by: Person, person: Person, role: string) =>
    joinOrganization(service, by, person, { slug, role })
  const setRole = (who: Person, userId: string, role: string) =>
    call('PATCH', `/${slug}/members/${userId}`, who, { role })
  const remove = (who: Person, userId: string) => call('DELETE', `/${slug}/members/${userId}`, who)
  const roles = async () => {
    const { rows } = await service.services.db.pool.query<{ account_id: string; role: string }>(
      'select account_id, role from identity_member join identity_organization on id = organization_id where slug = $1',
      [slug],
    )
    return Object.fromEntries(rows.map(row => [row.account_id, row.role]))
  }
  const actions = async (id: string) => {
    interface Event {
      action: string
      details: unknown
      actorId: string
    }
    const token = await service.adminToken()
    const { body } = await service.http<{ items: Event[] }>('GET', `/admin/audit?limit=100&targetId=${id}`, {
      token,
    })
    return body.items.reverse()
  }

  beforeEach(async () => {
    slug = (await make()).slug
    await join(owner, admin, 'ADMIN')
    await join(owner, member, 'MEMBER')
  })

  test('the creator is OWNER; members list their organizations, newest first', async () => {
    const creator = await registerHuman(service)
    const [first, second] = [await make(creator), await make(creator)]
    assert.deepEqual([first.name, first.role], ['Engine Works', 'OWNER'])
    const list = await call<{ items: Organization[]; total: number }>('GET', '?limit=1', creator)
    assert.deepEqual([list.body.items.map(each => each.id), list.body.total], [[second.id], 2])
    const read = await call('GET', `/${slug}`, member)
    assert.deepEqual([read.status, read.body.slug, read.body.role], [200, slug, 'MEMBER'])
  })

  test('of 16 concurrent requests for a slug one succeeds; the others get free slugs', async () => {
    const wanted = freshSlug()
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        call('POST', '', i % 2 ? owner : outsider, { slug: wanted, name: 'Same' }),
      ),
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

  test('rejects an invalid slug or name with 400', async () => {
    for (const bad of [
      'Upper',
      'ab',
      '-works',
      'works-',
      'wo--rks',
      'w/o',
      'x'.repeat(81),
      '',
      'admin',
      'svc',
    ])
      assert.equal((await call('POST', '', owner, { slug: bad, name: 'Name' })).status, 400, bad)
    for (const name of ['', '   ', 'x'.repeat(101), undefined])
      assert.equal((await call('POST', '', owner, { slug: freshSlug(), name })).status, 400, String(name))
  })

  test('responds 404 for an unknown organization and 403 to non-members', async () => {
    const one = `/${slug}/members/${member.id}`
    for (const [method, path, body] of [
      ['GET', `/${slug}`, undefined],
      ['PATCH', `/${slug}`, { name: 'Taken over' }],
      ['GET', `/${slug}/members`, undefined],
      ['POST', `/${slug}/members`, { userId: outsider.id, role: 'MEMBER' }],
      ['PATCH', one, { role: 'OWNER' }],
      ['DELETE', one, undefined],
    ] as const) {
      assert.equal((await call(method, path, outsider, body)).status, 403, `${method} ${path}`)
      assert.equal(
        (await call(method, path.replace(slug, 'nobodys'), owner, body)).status,
        404,
        `${method} ${path}`,
      )
    }
    assert.deepEqual(await roles(), { [owner.id]: 'OWNER', [admin.id]: 'ADMIN', [member.id]: 'MEMBER' })
  })

  test('lets OWNER and ADMIN rename it, not a MEMBER', async () => {
    assert.equal((await call('PATCH', `/${slug}`, member, { name: 'Mine' })).status, 403)
    for (const who of [admin, owner]) {
      const { status, body } = await call('PATCH', `/${slug}`, who, { name: `By ${who.id}` })
      assert.deepEqual([status, body.name, body.slug], [200, `By ${who.id}`, slug])
    }
  })

  test('an organization that is closed meanwhile is not renamed: 404', async () => {
    const only = await registerHuman(service)
    const { id, slug: closing } = await make(only)
    const [closed, renamed] = await holdingLocks(service, async holder => {
      await holder.query('select from identity_organization where id = $1 for update', [id])
      const closes = call('DELETE', `/${closing}`, only)
      await holder.waiters(1)
      const renames = call('PATCH', `/${closing}`, only, { name: 'Ada Lovelace' })
      await holder.waiters(2)
      await holder.commit()
      return Promise.all([closes, renames])
    })
    assert.deepEqual([closed.status, renamed.status], [204, 404])
    const { rows } = await service.services.db.pool.query<{ name: string }>(
      'select name from identity_organization where id = $1',
      [id],
    )
    assert.equal(rows[0]?.name, '')
  })

  test('the audit log records every change with its actor and without names', async () => {
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

  test('rejects a new organization above the limit of an account', async () => {
    const many = await registerHuman(service)
    await make(many)
    await service.services.db.pool.query(
      `with made as (insert into identity_organization (id, slug, name, created_at, updated_at)
         select gen_random_uuid(), 'many-' || n, 'Many', now(), now() from generate_series(1, 99) n returning id)
       insert into identity_member (organization_id, account_id, role, joined_at, updated_at)
         select id, $1, 'OWNER', now(), now() from made`,
      [many.id],
    )
    const refused = await call('POST', '', many, { slug: freshSlug(), name: 'Another' })
    assert.deepEqual([refused.status, refused.body.message.split(':')[0]], [409, 'Too many organizations'])
  })
})
