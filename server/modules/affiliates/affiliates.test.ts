import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import {
  AffiliateTrial,
  fund,
  openMarket,
  registerHuman,
  sharedService,
  type Person,
  type TestService,
} from '#test'

interface Profile {
  id: string
  code: string
  status: string
  rateBps: number
  months: number
  holdDays: number
  level2Bps: number | null
  reviewReason: string | null
  link: string
  message: string
}
interface Dashboard {
  clicks: number
  bots: number
  repeats: number
  signups: number
  series: { day: string; clicks: number; signups: number }[]
}

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36'
const code = () => `c-${newId().slice(-8)}`

suite('the affiliate programme', () => {
  let service: TestService
  let admin: string
  before(async () => {
    service = await sharedService()
    admin = await service.adminToken()
  })
  after(() => service.close())

  const apply = (person: Pick<Person, 'token'>, more: object = {}) =>
    service.http<Profile>('POST', '/affiliates/apply', {
      token: person.token,
      body: { displayName: 'Ada Weekly', acceptTerms: true, ...more },
    })
  const decide = (id: string, path: string, body: object = {}) =>
    service.http<Profile>('POST', `/affiliates/admin/${id}/${path}`, { token: admin, body })
  const me = (person: Pick<Person, 'token'>) =>
    service.http<Profile>('GET', '/affiliates/me', { token: person.token })
  const membership = (person: Pick<Person, 'token'>) =>
    service.http<{ affiliate: Profile | null }>('GET', '/affiliates/membership', { token: person.token })
  const dashboard = async (person: Pick<Person, 'token'>) =>
    (await service.http<Dashboard>('GET', '/affiliates/dashboard', { token: person.token })).body

  async function affiliate(more: object = {}): Promise<Person & { code: string; profileId: string }> {
    const person = await registerHuman(service)
    const { status, text, body } = await apply(person, { code: code(), ...more })
    assert.equal(status, 201, text)
    assert.equal((await decide(body.id, 'review', { decision: 'approve' })).body.status, 'ACTIVE')
    return { ...person, code: body.code, profileId: body.id }
  }

  /** Follows a link without following its redirect. */
  async function click(of: string, query = '', headers: Record<string, string> = {}) {
    const { status, headers: got } = await fetch(`${service.baseUrl}/affiliates/r/${of}${query}`, {
      redirect: 'manual',
      headers: { 'user-agent': BROWSER, ...headers },
    })
    const cookie = got.getSetCookie().find(each => each.startsWith('svc_click='))
    return { status, location: got.get('location'), cookie }
  }

  test('an application waits for an admin, who approves or rejects it', async () => {
    const person = await registerHuman(service)
    assert.equal((await me(person)).status, 404)
    assert.deepEqual((await membership(person)).body, { affiliate: null })
    const none = await service.http('GET', '/affiliates/dashboard', { token: person.token })
    assert.equal(none.status, 404)
    const wanted = code()
    const { status, body } = await apply(person, { code: wanted, channels: ['newsletter'] })
    assert.deepEqual(
      [status, body.status, body.code, body.rateBps, body.months],
      [201, 'PENDING', wanted, 2000, 24],
    )
    assert.equal((await apply(person)).status, 409)
    const { body: pending } = await service.http<{ items: Profile[] }>('GET', '/affiliates/admin/pending', {
      token: admin,
    })
    assert.ok(pending.items.some(({ id }) => id === body.id))
    const rejected = await decide(body.id, 'review', { decision: 'reject', reason: 'No website' })
    assert.deepEqual([rejected.status, rejected.body.status], [200, 'REJECTED'])
    assert.equal((await me(person)).body.reviewReason, 'No website')
    assert.deepEqual((await membership(person)).body.affiliate, (await me(person)).body)
    assert.equal((await decide(body.id, 'review', { decision: 'approve' })).status, 409)
    const again = await apply(person, { website: 'https://example.com' })
    assert.deepEqual([again.status, again.body.status, again.body.code], [201, 'PENDING', wanted])
    assert.equal((await decide(body.id, 'review', { decision: 'approve' })).body.status, 'ACTIVE')
    assert.equal((await decide(newId(), 'review', { decision: 'approve' })).status, 404)
  })

  test('a code that is taken, reserved or malformed is a 400', async () => {
    const taken = await affiliate()
    const person = await registerHuman(service)
    for (const [wanted, message] of [
      [taken.code.toUpperCase(), 'Referral code taken'],
      ['Admin', 'Referral code reserved'],
    ])
      assert.deepEqual([(await apply(person, { code: wanted })).body.message], [message])
    for (const body of [
      { code: 'a b' },
      { code: '-x-' },
      { acceptTerms: false },
      { website: 'javascript:alert(1)' },
    ])
      assert.equal((await apply(person, body)).status, 400)
    assert.match((await apply(person)).body.code, /^[0-9A-Z]{8}$/)
  })

  test('an agent account enrolls once; a person applies instead', async () => {
    const { body: agent } = await service.http<{ accessToken: string; referralCode: string }>(
      'POST',
      '/auth/register-agent',
      { body: { username: `a${newId().slice(-10)}` } },
    )
    const enroll = (token: string) => service.http<Profile>('POST', '/affiliates/enroll', { token })
    for (let n = 0; n < 2; n++) {
      const { status, body } = await enroll(agent.accessToken)
      assert.deepEqual([status, body.code, body.status], [201, agent.referralCode, 'ACTIVE'])
    }
    assert.equal((await enroll((await registerHuman(service)).token)).status, 403)
  })

  test('a suspended affiliate refers nobody until it is reactivated', async () => {
    const { code: of, profileId } = await affiliate()
    const resolve = async () => (await service.http('GET', `/affiliates/resolve?code=${of}`)).status
    assert.equal(await resolve(), 200)
    assert.equal((await decide(profileId, 'suspend', { reason: 'Spam' })).body.status, 'SUSPENDED')
    assert.equal((await decide(profileId, 'suspend')).status, 409)
    assert.equal(await resolve(), 404)
    const { status, location, cookie } = await click(of, '?dest=/docs')
    assert.deepEqual([status, location, cookie], [302, `${service.baseUrl}/`, undefined])
    assert.equal((await decide(profileId, 'reactivate')).body.status, 'ACTIVE')
    assert.equal((await decide(profileId, 'reactivate')).status, 409)
    assert.equal((await click(of, '?dest=/docs')).location, `${service.baseUrl}/docs`)
  })

  test('a plan of its own counts from now on', async () => {
    const { profileId } = await affiliate()
    const plan = { rateBps: 3000, months: 12, level2Bps: 500, holdDays: 14 }
    const { body } = await decide(profileId, 'commission-plan', plan)
    assert.deepEqual(
      { rateBps: body.rateBps, months: body.months, level2Bps: body.level2Bps, holdDays: body.holdDays },
      plan,
    )
    assert.equal((await decide(profileId, 'commission-plan', { rateBps: 3501 })).status, 400)
    assert.equal((await decide(newId(), 'commission-plan', {})).status, 404)
    const { body: read } = await service.http<Profile>('GET', `/affiliates/admin/profile/${profileId}`, {
      token: admin,
    })
    assert.equal(read.rateBps, 3000)
    const { body: list } = await service.http<{ items: Profile[]; total: number }>(
      'GET',
      '/affiliates/admin/all?status=ACTIVE&limit=1',
      { token: admin },
    )
    assert.deepEqual([list.items.length, list.items[0]?.status], [1, 'ACTIVE'])
  })

  test('a link leads to allowed sites with its parameters, elsewhere home', async () => {
    const person = await affiliate()
    const link = (body: object) =>
      service.http<{ url: string; code: string; message: string }>('POST', '/affiliates/links/generate', {
        token: person.token,
        body,
      })
    const { status, body } = await link({ dest: '/docs?x=1', utm_source: 'mail', label: 'may' })
    assert.equal(status, 201)
    const { pathname, search } = new URL(body.url)
    assert.equal(pathname, `/affiliates/r/${person.code}`)
    assert.equal(
      (await click(person.code, search)).location,
      `${service.baseUrl}/docs?x=1&utm_source=mail&utm_campaign=may`,
    )
    const refused = await link({ dest: 'https://evil.example.com/' })
    assert.deepEqual([refused.status, refused.body.message], [400, 'Destination not allowed'])
    for (const dest of [
      'https://evil.example.com',
      '//evil.example.com',
      'javascript:alert(1)',
      'http://u:p@127.0.0.1/',
    ])
      assert.equal(
        (await click(person.code, `?dest=${encodeURIComponent(dest)}`)).location,
        `${service.baseUrl}/`,
        dest,
      )
    const pending = await registerHuman(service)
    await apply(pending)
    assert.equal(
      (await service.http('POST', '/affiliates/links/generate', { token: pending.token, body: {} })).status,
      409,
    )
  })

  test('clicks are counted by people, repeats and bots, many at once', async () => {
    const person = await affiliate()
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => click(person.code, '', { 'user-agent': `${BROWSER} ${n}` })),
    )
    await click(person.code, '', { 'user-agent': `${BROWSER} 0` })
    await click(person.code, '', { 'user-agent': 'Googlebot/2.1 (+http://www.google.com/bot.html)' })
    const { clicks, repeats, bots, signups, series } = await dashboard(person)
    assert.deepEqual([clicks, repeats, bots, signups], [40, 1, 1, 0])
    assert.deepEqual([series.length, series.at(-1)?.clicks], [30, 40])
    assert.deepEqual((await click('nobody')).location, `${service.baseUrl}/`)
  })

  test('the last click before a sign-up counts, a code in the registration more', async () => {
    const [first, last, named] = [await affiliate(), await affiliate(), await affiliate()]
    const cookies = [await click(first.code), await click(last.code)].map(
      ({ cookie }) => cookie?.split(';')[0] ?? '',
    )
    const register = (headers: Record<string, string>, more: object = {}) =>
      service.http<{ svc_meta?: { referral: { code: string; source: string; clickId: string | null } } }>(
        'POST',
        '/auth/register',
        {
          headers,
          body: {
            email: `${newId()}@example.com`,
            displayName: 'Referred',
            password: 'correct horse battery staple',
            ...more,
          },
        },
      )
    const { body } = await register({ cookie: cookies[1] ?? '' })
    const { code: bound, source, clickId } = body.svc_meta?.referral ?? {}
    assert.deepEqual([bound, source, `svc_click=${clickId}`], [last.code, 'click', cookies[1]])
    const explicit = await register({ cookie: cookies[0] ?? '' }, { affiliateToken: named.code })
    assert.deepEqual(
      [explicit.body.svc_meta?.referral.code, explicit.body.svc_meta?.referral.source],
      [named.code, 'registration'],
    )
    assert.equal((await register({ cookie: `svc_click=${newId()}` })).body.svc_meta, undefined)
    assert.equal((await register({ cookie: 'svc_click=nonsense' })).body.svc_meta, undefined)
    const signups = await Promise.all([first, last, named].map(async each => (await dashboard(each)).signups))
    assert.deepEqual(signups, [0, 1, 1])
  })

  test('deals of a referred account name the referral, those of another account do not', async () => {
    const earner = await affiliate()
    const market = await openMarket(service, { amount: 100 })
    const referred = await new AffiliateTrial(service, market.admin).referred(earner)
    await fund(service, referred, 100)
    const work = { budget: 10, amount: 10, requestedService: 'Notes', paymentMethodId: 'pm_card_visa' }
    for (const [path, agent] of [
      ['/ap2/negotiate', 'responderAgentId'],
      ['/payments/create-agent-checkout', 'agentId'],
      ['/payments/stripe/create', 'agentId'],
    ] as const) {
      const codeFor = async ({ token }: Person) => {
        const body = { ...work, [agent]: market.agent.id }
        const answer = await service.http<{ svc_meta?: { referral: { code: string } } }>('POST', path, {
          token,
          body,
        })
        assert.ok(answer.status < 300, answer.text)
        return answer.body.svc_meta?.referral.code
      }
      assert.equal(await codeFor(referred), earner.code, path)
      assert.equal(await codeFor(market.buyer), undefined, path)
    }
  })
})
