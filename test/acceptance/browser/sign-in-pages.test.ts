import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Page } from 'playwright-core'
import { registerHuman, visitorOn } from '#test'
import { openSite, PASSWORD, registerWithSecondFactor, signIn } from './site.ts'

/** What sign-in pages must not do: take over a tab, navigate twice, hide what is wrong. */
suite('signing in and out in the browser', () => {
  const site = openSite()

  /** What "Continue with ..." leaves in the tab before it goes to the identity provider. */
  const startedHere = (page: Page) =>
    page.evaluate(`sessionStorage.setItem('svc.provider', 'a-random-value')`)

  site.journey(
    'signs in with the response of the identity provider and shows its errors',
    async ({ page, at, sees, heading }) => {
      const { token, refreshToken } = await registerHuman(site.service)
      await page.goto('/auth/done#error=SIGN_IN_CANCELLED')
      await heading('You are not signed in')
      await sees('The sign-in was cancelled.')
      assert.ok(!page.url().includes('#'))
      await startedHere(page)
      await page.goto('about:blank')
      await page.goto(
        `/auth/done#accessToken=${token}&refreshToken=${refreshToken}&expiresIn=900&clientState=a-random-value`,
      )
      await at('/account')
      await startedHere(page)
      await page.goto('about:blank')
      const someone = await registerWithSecondFactor(site.service)
      const { body } = await site.service.http<{ mfaToken: string }>('POST', '/auth/login', {
        body: { email: someone.email, password: PASSWORD },
      })
      await page.goto(`/auth/done#mfaRequired=true&mfaToken=${body.mfaToken}&clientState=a-random-value`)
      await heading('Two-factor authentication')
    },
  )

  site.journey(
    'a link with tokens of somebody else signs nobody in, and shows no text of its own',
    async visitor => {
      const { page, at, sees, heading } = visitor
      const attacker = await registerHuman(site.service)
      const tokens = `accessToken=${attacker.token}&refreshToken=${attacker.refreshToken}&expiresIn=900`
      await page.goto(`/auth/done#${tokens}`)
      await heading('You are not signed in')
      await sees('This sign-in was not started in this browser tab.')
      const victim = await registerHuman(site.service)
      await signIn(visitor, victim)
      await at('/account')
      await sees(victim.email)
      for (const trick of ['', '&clientState=', '&clientState=guessed']) {
        await page.goto('about:blank')
        await page.goto(`/auth/done#${tokens}${trick}&warnings=Please+add+your+card+again`)
        await heading('You are not signed in')
        await page.goto('/account')
        await sees(victim.email)
        assert.equal(await page.getByText('add your card').count(), 0)
      }
      await page.goto('/auth/done#error=Call+this+number')
      await sees('The sign-in failed. Please try again.')
      assert.equal(await page.getByText('Call this number').count(), 0)
    },
  )

  site.journey(
    'a form shows an error at its field until the field changes',
    async ({ page, fill, press }) => {
      await page.goto('/signup')
      await fill({ 'Your name': 'Ada', Email: 'nope@nope', Password: PASSWORD })
      await press('Create the account')
      const email = page.getByLabel('Email', { exact: true })
      await page.locator('[aria-invalid=true]').waitFor()
      assert.equal(await email.getAttribute('aria-invalid'), 'true')
      assert.equal(await page.evaluate('document.activeElement.name'), 'email')
      const id = await email.getAttribute('aria-describedby')
      assert.match(await page.locator(`#${id}`).innerText(), /email/i)
      await fill({ Email: 'nope@example.com' })
      assert.deepEqual(
        [await email.getAttribute('aria-invalid'), await page.locator(`#${id}`).count()],
        [null, 0],
      )
    },
  )

  test('a sign-up that is quicker than the look for other tabs leaves the page once', async () => {
    const context = await site.chromium.browser.newContext({ baseURL: site.service.baseUrl })
    const { page, fill, press, at } = visitorOn(await context.newPage(), site.service.baseUrl)
    // As if a tab that is closed had been signed in: the look ends after the sign-up, while the next page is under way.
    await context.addInitScript(`localStorage.setItem('svc.signed-in', '1')`)
    let visits = 0
    await page.route('**/account', async route => {
      visits++
      await new Promise(resolve => {
        setTimeout(resolve, 4000)
      })
      // One that was aborted meanwhile needs no response.
      await route.continue().catch(() => undefined)
    })
    await page.goto('/signup')
    await fill({ 'Your name': 'Quick', Email: 'quick@example.com', Password: PASSWORD })
    await press('Create the account')
    await at('/account')
    assert.equal(visits, 1)
    await context.close()
  })

  site.journey('signing out goes to the home page directly', async visitor => {
    const { page, press, at, heading } = visitor
    await signIn(visitor, await registerHuman(site.service))
    await at('/account')
    await heading('Test Person')
    const visited: string[] = []
    page.on('request', request => {
      if (request.isNavigationRequest()) visited.push(new URL(request.url()).pathname)
    })
    await press('Sign out')
    await at('/')
    assert.deepEqual(visited, ['/'])
  })
})
