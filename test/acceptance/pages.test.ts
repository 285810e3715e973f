import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { firstAdminLink } from '#identity'
import { notFoundPage } from '#pages'
import { linkTo, mailTo, registerHuman, sharedService, startTestService, type TestService } from '#test'

interface Link {
  kind: string
  state: string
  email?: string
  agent?: { name: string; description: string }
}

/** What the page says of the link that was opened. */
const linkOf = (text: string): Link | null =>
  (JSON.parse(/id="page-data">([^<]*)</.exec(text)?.[1] ?? '') as { link: Link | null }).link
const stateOf = (text: string) => linkOf(text)?.state

suite('the small pages', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const page = async (path: string, status = 200) => {
    const answer = await service.http('GET', path)
    assert.equal(answer.status, status, path)
    assert.match(answer.headers.get('content-type') ?? '', /^text\/html/)
    return answer
  }
  const claimPath = async (fields: object) => {
    const { body: bot } = await service.http<{ accessToken: string }>('POST', '/auth/register-agent', {
      body: { username: `bot_${Date.now()}`, walletType: 'managed' },
    })
    const { body } = await service.http<{ claim_url: string }>('POST', '/agents/announce', {
      token: bot.accessToken,
      body: fields,
    })
    return new URL(body.claim_url).pathname
  }

  test('every page is the console, and loads nothing from elsewhere', async () => {
    for (const path of ['/', '/signup', '/login', '/auth/done', '/app/agents']) {
      const { text, headers } = await page(path)
      const policy = headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/)
      assert.match(policy, /form-action 'none'/)
      assert.equal(linkOf(text), null)
      assert.match(text, /<noscript>[^<]*needs JavaScript/)
      assert.doesNotMatch(text, /(src|href)="(https?:)?\/\//)
      const assets = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, asset]) => asset ?? '')
      assert.ok(assets.length > 1)
      for (const asset of assets) assert.equal((await service.http('GET', asset)).status, 200, asset)
    }
    const { status, headers } = await service.http('GET', '/account')
    assert.deepEqual([status, headers.get('location')], [302, '/app/account'])
  })

  test('a link that is no good says so with 404; a visit uses none up', async () => {
    for (const kind of ['reset', 'verify', 'login', 'setup', 'claim'])
      assert.deepEqual(linkOf((await page(`/${kind}/none`, 404)).text), { kind, state: 'dead' })
    const { email } = await registerHuman(service)
    await service.http('POST', '/auth/magic-link/request', { body: { email } })
    await service.http('POST', '/auth/forgot-password', { body: { email } })
    const calls = {
      verify: '/auth/verify-email',
      login: '/auth/magic-link/consume',
      reset: '/auth/reset-password',
    } as const
    for (const [path, endpoint] of Object.entries(calls)) {
      const token = await linkTo(service, email, path as 'verify')
      for (const visit of [1, 2]) {
        const { state, email: shown } = linkOf((await page(`/${path}/${token}`)).text) ?? {}
        assert.deepEqual([state, shown], ['good', email], `visit ${visit} of ${path}`)
      }
      assert.equal(
        (
          await service.http('POST', endpoint, {
            body: { token, password: 'correct horse battery staple', newPassword: 'another good one' },
          })
        ).status,
        200,
        path,
      )
      assert.equal(stateOf((await page(`/${path}/${token}`, 404)).text), 'used')
    }
  })

  test('a link by mail goes on to a page of the console, and to no other address', async () => {
    const { email } = await registerHuman(service)
    for (const [path, endpoint] of [
      ['login', '/auth/magic-link/request'],
      ['reset', '/auth/forgot-password'],
    ] as const) {
      const next = '/app/deals?state=OPEN'
      assert.equal((await service.http('POST', endpoint, { body: { email, next } })).status, 200)
      const { text } = await mailTo(service, email, new RegExp(`/${path}/`))
      assert.match(text, new RegExp(`/${path}/[\\w-]+\\?next=%2Fapp%2Fdeals%3Fstate%3DOPEN\\n`))
      for (const away of [
        'https://evil.example',
        '//evil.example',
        '/application',
        '/login',
        '/app/\\evil',
        '/app/a b',
      ])
        assert.equal(
          (await service.http('POST', endpoint, { body: { email, next: away } })).status,
          400,
          away,
        )
    }
  })

  test('a link that ran out, and one to an address that the account had before, are no good', async () => {
    const person = await registerHuman(service)
    const verify = await linkTo(service, person.email, 'verify')
    await page(`/verify/${verify}`)
    await service.services.db.pool.query(
      'update identity_link set expires_at = now() where account_id = $1',
      [person.id],
    )
    await page(`/verify/${verify}`, 404)
    const moved = await registerHuman(service)
    await service.http('POST', '/auth/magic-link/request', { body: { email: moved.email } })
    const magic = await linkTo(service, moved.email, 'login')
    await service.services.db.pool.query(
      "update identity_account set email = 'new-' || email where id = $1",
      [moved.id],
    )
    assert.equal(stateOf((await page(`/login/${magic}`, 404)).text), 'dead')
  })

  test('the claim page names the agent before it asks for anything, as text and never as markup', async () => {
    const path = await claimPath({
      name: 'Scribe <script>alert(1)</script>',
      description: '"><img src=x onerror=alert(2)>',
    })
    const { text } = await page(path)
    assert.equal(linkOf(text)?.agent?.name, 'Scribe <script>alert(1)</script>')
    assert.doesNotMatch(text, /<script>alert|<img/)
    const { token } = await registerHuman(service)
    assert.equal((await service.http('POST', `/agents${path}`, { token })).status, 200)
    assert.equal(stateOf((await page(path, 404)).text), 'claimed')
    assert.doesNotMatch(
      (await page(`/claim/${encodeURIComponent('"><script>alert(1)</script>')}`, 404)).text,
      /<script>alert/,
    )
  })

  test('the mail to a new address says which account asks for it', async () => {
    const { email, token } = await registerHuman(service)
    assert.equal(
      (await service.http('PATCH', '/users/me', { token, body: { email: `new-${email}` } })).status,
      200,
    )
    const { subject, text } = await mailTo(service, `new-${email}`)
    assert.match(subject, /: Confirm your new email address$/)
    assert.ok(
      text.includes(
        `The account ${email} at ${new URL(service.baseUrl).host} asked to change its email address to new-${email}`,
      ),
    )
    assert.match((await mailTo(service, email, /verify/)).text, /Someone created an account at/)
  })

  test('there is a page for what is not there', () => {
    assert.match(notFoundPage(), /<h1>There is nothing here<\/h1>/)
  })

  test('mails have the style of the pages, and their links open outside their frames', async () => {
    const { email } = await registerHuman(service)
    await linkTo(service, email, 'verify')
    const { text, headers } = await service.http('GET', `/sandbox/mail?to=${email}`, {
      headers: { accept: 'text/html' },
    })
    assert.match(text, /class="brand"/)
    assert.match(headers.get('content-security-policy') ?? '', /script-src 'self'/)
    assert.match(text, /<iframe\s+sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"/)
    assert.match(text, /&lt;base target=&quot;_blank&quot; \/&gt;/)
    assert.ok(text.includes(`${new URL(service.baseUrl).host}: Confirm your email address`))
  })
})

test('the set-up page works while there is no admin, and says so when there is one', async () => {
  const service = await startTestService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' })
  try {
    const path = new URL((await firstAdminLink(service.services)) ?? '').pathname
    assert.deepEqual(linkOf((await service.http('GET', path)).text), { kind: 'setup', state: 'good' })
    const body = {
      token: path.split('/').at(-1),
      email: 'root@example.com',
      password: 'correct horse battery',
      displayName: 'Root',
    }
    assert.equal((await service.http('POST', '/auth/setup', { body })).status, 201)
    assert.equal(stateOf((await service.http('GET', path)).text), 'dead')
  } finally {
    await service.close()
  }
})

test("with a front end of one's own, each page goes to the same path there and nowhere else", async () => {
  const service = await startTestService({ FRONTEND_URL: 'https://front.example' })
  try {
    const goes = async (path: string, to: string) => {
      const { status, headers } = await service.http('GET', path)
      assert.deepEqual([status, headers.get('location')], [302, `https://front.example${to}`])
    }
    for (const path of [
      '/',
      '/login',
      '/signup',
      '/account',
      '/auth/done',
      '/claim/abc',
      '/reset/abc',
      '/verify/abc',
      '/login/abc',
      '/setup/abc',
    ])
      await goes(path, path)
    await goes('/?utm_source=mail', '/?utm_source=mail')
    await goes('/claim/..%2F..%2Fx', '/claim/..%2F..%2Fx')
    const { hostname, port } = new URL(service.baseUrl)
    const location = await new Promise((resolve, reject) => {
      request({ hostname, port, path: 'http://evil.example/reset/abc' }, answer => {
        answer.resume()
        resolve(answer.headers.location)
      })
        .on('error', reject)
        .end()
    })
    assert.equal(location, 'https://front.example/reset/abc')
  } finally {
    await service.close()
  }
})
