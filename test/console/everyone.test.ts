import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { eventually, linkTo, publishAgent, registerHuman, startTestService } from '#test'
import { signedInAs } from '../acceptance/browser/site.ts'
import { listWriter } from './support/deal-story.ts'
import { openConsole, PASSWORD, settled } from './support/console.ts'

/** A picture that the service has: the test loads nothing from elsewhere. */
const LOGO_URL = '/favicon.ico'

/** What every visitor of the console has, whatever they came for. */
const OFFERS_BY_MAIL = 'Offers, counteroffers and their acceptance: Email'

suite('everyone in the console', () => {
  const console = openConsole(() => startTestService({ SITE_NAME: 'Agora', SITE_LOGO_URL: LOGO_URL }))

  console.play('reads the name and sees the logo of the site', async ({ page, open }) => {
    await open('/app/agents')
    assert.equal(await page.title(), 'Agents · Agora')
    const logo = page.getByRole('img', { name: 'Agora' })
    assert.equal(await logo.getAttribute('src'), LOGO_URL)
    assert.ok((await page.evaluate<number>(`document.querySelector('[alt=Agora]').naturalWidth`)) > 0)
  })

  console.play('goes to a page and to an agent by Ctrl K and Cmd K', async visitor => {
    const { page, open, heading } = visitor
    await listWriter(console.service, 'Palette Writer')
    await console.newcomer(visitor)
    await open('/app/agents')
    const search = page.getByRole('textbox', { name: 'Go to a page or an agent' })
    await page.keyboard.press('Control+k')
    await search.waitFor()
    await page.keyboard.type('vouch')
    await page.keyboard.press('Enter')
    await heading('Vouchers')
    await search.waitFor({ state: 'detached' })
    await page.keyboard.press('Meta+k')
    await search.fill('palette writer')
    await page.getByRole('button', { name: /^Palette Writer/ }).waitFor()
    await page.keyboard.press('Enter')
    await heading('Palette Writer')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await search.fill('nothing is called like this')
    await page.getByText('Nothing found').waitFor()
    await page.keyboard.press('Escape')
    await search.waitFor({ state: 'detached' })
  })

  console.play(
    'finds the language and the sign of the sandbox on a phone',
    async ({ page, open, heading }) => {
      await page.setViewportSize({ width: 320, height: 640 })
      await open('/app/agents')
      await page.getByRole('button', { name: 'Menu', exact: true }).click()
      await page.getByText('Sandbox', { exact: true }).filter({ visible: true }).waitFor()
      await page.getByRole('button', { name: 'Language' }).click()
      await page.getByRole('menuitem', { name: 'Deutsch' }).click()
      await heading('Agenten')
      await open('/login')
      await page.getByRole('button', { name: 'Sprache' }).click()
      await page.getByRole('menuitem', { name: 'English' }).click()
      await page.getByRole('button', { name: 'Language' }).waitFor()
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320)
    },
  )

  console.play('reads German from now on', async ({ page, open, heading }) => {
    await open('/app/agents')
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitem', { name: 'Deutsch' }).click()
    await heading('Agenten')
    await page.reload()
    await heading('Agenten')
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    await open('/app/needs')
    await page.getByRole('button', { name: 'Sprache' }).click()
    await page.getByRole('menuitem', { name: 'English' }).click()
    await heading('Needs')
  })

  console.play('sees dark colors from now on', async ({ page, open }) => {
    const scheme = () => page.locator('html').getAttribute('data-mantine-color-scheme')
    await open('/app/agents')
    assert.equal(await scheme(), 'light')
    await page.getByRole('button', { name: 'Use dark colors' }).click()
    assert.equal(await scheme(), 'dark')
    await page.reload()
    await settled(page)
    assert.equal(await scheme(), 'dark')
    await page.getByRole('button', { name: 'Use light colors' }).click()
    assert.equal(await scheme(), 'light')
  })

  console.play(
    'sees the currency, and the time zone that times are in',
    async visitor => {
      const { page, open, sees } = visitor
      const { walletId } = await console.newcomer(visitor)
      await open('/app/wallet')
      await sees('Available, USD')
      await open(`/app/wallet/${walletId}`)
      await sees('Times in Asia/Tokyo')
      await open('/app/account/security')
      await page.getByRole('time').or(page.locator('time')).first().waitFor()
      assert.match((await page.locator('time').first().getAttribute('title')) ?? '', /\(Asia\/Tokyo\)$/)
      // Almost two days are not "yesterday".
      await page.clock.setFixedTime(Date.now() + 47 * 3_600_000)
      await open('/app/account/security')
      await sees('1 day ago')
    },
    { timezoneId: 'Asia/Tokyo' },
  )

  console.play('sets a new password from the link of the mail', async visitor => {
    const { page, open, fill, press, heading } = visitor
    const { email } = await registerHuman(console.service)
    await open('/login')
    await fill({ Email: email })
    await press('Reset your password')
    await open(`/reset/${await linkTo(console.service, email, 'reset')}`)
    await heading('Set a new password')
    const secret = 'another horse battery staple'
    await fill({ 'New password': secret })
    await press('Save the password')
    await page.waitForURL('**/app/**')
    assert.equal(await signedInAs(visitor), email)
    const signIn = (password: string) =>
      console.service.http('POST', '/auth/login', { body: { email, password } })
    assert.deepEqual([(await signIn(PASSWORD)).status, (await signIn(secret)).status], [401, 200])
  })

  console.play('sees skeletons until the answer is there', async ({ page, heading, sees }) => {
    await publishAgent(console.service, await registerHuman(console.service), { name: 'Slowly Listed' })
    const answer = Promise.withResolvers<void>()
    const isList = ({ pathname }: URL) => pathname === '/agents'
    await page.route(isList, async route => {
      await answer.promise
      await route.continue()
    })
    await page.goto('/app/agents?search=slowly')
    await heading('Agents')
    const skeletons = page.locator('[aria-busy=true]')
    await skeletons.waitFor()
    assert.equal(await page.getByRole('link', { name: 'Slowly Listed' }).count(), 0)
    answer.resolve()
    await sees('Slowly Listed')
    await skeletons.waitFor({ state: 'detached' })
  })

  console.play('sees what to do next where there is nothing', async visitor => {
    const { page, open, sees, heading } = visitor
    await console.newcomer(visitor)
    for (const [path, action] of [
      ['/app/deals', 'Find an agent'],
      ['/app/organizations', 'Create an organization'],
      ['/app/vouchers', 'Create a voucher'],
    ] as const) {
      await open(path)
      await page.getByRole('main').getByText(action).first().waitFor()
    }
    await open('/app/spend')
    await sees('Nothing spent yet')
    await page.getByRole('main').getByRole('link', { name: 'Find an agent' }).click()
    await heading('Agents')
  })

  console.play('sees a choice at once, and the old one again when it is refused', async visitor => {
    const { page, open, sees } = visitor
    await console.newcomer(visitor)
    await open('/app/account/notifications')
    const offers = page.getByRole('switch', { name: OFFERS_BY_MAIL })
    const answer = Promise.withResolvers<void>()
    await page.route('**/users/me/notifications', async route => {
      if (route.request().method() !== 'PATCH') return route.continue()
      await answer.promise
      await route.fulfill({ status: 500, json: { statusCode: 500, message: 'The disk is full' } })
    })
    assert.equal(await offers.isChecked(), true)
    await offers.click({ force: true })
    await page.getByRole('switch', { name: OFFERS_BY_MAIL, checked: false }).waitFor({ state: 'attached' })
    answer.resolve()
    await sees('The disk is full')
    await page.getByRole('switch', { name: OFFERS_BY_MAIL, checked: true }).waitFor({ state: 'attached' })
  })

  console.play('is asked for the password again, and what was asked for continues', async visitor => {
    const { page, open, sees } = visitor
    const { id, token } = await console.newcomer(visitor)
    const guest = await registerHuman(console.service)
    const slug = 'night-shift'
    await console.service.http('POST', '/organizations', { token, body: { slug, name: 'Night Shift' } })
    await console.service.services.db.pool.query(
      `update identity_session set created_at = now() - interval '6 minutes', proved_at = null where account_id = $1`,
      [id],
    )
    await open(`/app/organizations/${slug}`)
    const press = (name: string) => page.getByRole('dialog').getByRole('button', { name }).last().click()
    await page.getByRole('button', { name: 'Invite a person' }).click()
    await page.getByLabel('Account id or username').fill(guest.id)
    await press('Invite a person')
    await sees('Confirm that it is you')
    await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
    await press('Continue')
    await sees('Email or password is wrong.')
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD)
    await press('Continue')
    await sees('Invited person')
    const { body } = await console.service.http<{ total: number }>('GET', '/users/me/invitations', {
      token: guest.token,
    })
    assert.equal(body.total, 1)
  })

  console.play('stays signed in when the access token expires', async visitor => {
    const { page, context, open, heading, sees } = visitor
    const { email } = await console.newcomer(visitor)
    await open('/app/wallet')
    const renewals: string[] = []
    page.on('response', response => {
      if (response.url().endsWith('/auth/refresh')) renewals.push(String(response.status()))
    })
    await context.clearCookies({ name: 'svc_access' })
    await page.getByRole('link', { name: 'Vouchers' }).click()
    await heading('Vouchers')
    await sees('No vouchers yet')
    assert.equal(new URL(page.url()).pathname, '/app/vouchers')
    assert.deepEqual(renewals, ['200'])
    assert.equal(await signedInAs(visitor), email)
    // What visitors may read too is not read as a visitor.
    const title = 'A need of somebody else'
    const { token } = await registerHuman(console.service)
    await console.service.http('POST', '/market/needs', { token, body: { title, budget: 40 } })
    await context.clearCookies({ name: 'svc_access' })
    await open('/app/needs?mine=true')
    await sees('No open needs')
    assert.equal(await page.getByText(title).count(), 0)
    await context.clearCookies()
    await open('/app/needs?mine=true')
    await sees(title)
  })

  console.play('stays signed in when the network fails for a moment', async visitor => {
    const { page, heading, open } = visitor
    await page.clock.install()
    await console.newcomer(visitor)
    await open('/app/account')
    const name = page.getByRole('textbox', { name: 'Your name' })
    await name.fill('Half a nam')
    let failures = 0
    await page.route('**/users/me', route => {
      failures++
      return route.abort()
    })
    await page.clock.fastForward(61_000)
    await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
    await eventually('the account was read again', async () => {
      await page.clock.runFor(3000)
      return failures === 3
    })
    await heading('Profile')
    assert.equal(await name.inputValue(), 'Half a nam')
    assert.equal(await page.getByRole('link', { name: 'Sign in' }).count(), 0)
  })
})
