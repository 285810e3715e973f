import assert from 'node:assert/strict'
import { suite } from 'node:test'
import type { Page } from 'playwright-core'
import { registerHuman } from '#test'
import {
  atConsole,
  openSite,
  PASSWORD,
  registerWithSecondFactor,
  signedInAs,
  signIn,
  totpCode,
} from './site.ts'

/** What sign-in pages must not do: take over a tab, leave the site, hide what is wrong. */
suite('signing in and out in the browser', () => {
  const site = openSite()

  /** What "Continue with ..." leaves in the tab before it goes to the identity provider. */
  const startedHere = (page: Page, next: string) =>
    page.evaluate(`sessionStorage.setItem('svc.provider', '${next}')`)
  const mfaTokenOf = async (email: string) =>
    (
      await site.service.http<{ mfaToken: string }>('POST', '/auth/login', {
        body: { email, password: PASSWORD },
      })
    ).body.mfaToken

  site.journey('asks for the second factor of a sign-in at the identity provider', async visitor => {
    const { page, fill, press, heading } = visitor
    const someone = await registerWithSecondFactor(site.service)
    await page.goto('/login')
    await startedHere(page, '/app/agents?search=notes')
    await page.goto('about:blank')
    await page.goto(`/login#mfaToken=${await mfaTokenOf(someone.email)}`)
    await heading('Two-factor authentication')
    assert.ok(!page.url().includes('#'))
    await fill({ Code: totpCode(someone.secret) })
    await press('Continue')
    await page.waitForURL('**/app/agents?search=notes')
    assert.equal(await signedInAs(visitor), someone.email)
  })

  site.journey('goes on to the page that a sign-in at the identity provider was for', async visitor => {
    const { page, heading } = visitor
    await signIn(visitor, await registerHuman(site.service))
    // The page after the sign-in has read what the tab stores, before it is stored.
    await heading('Agents')
    await startedHere(page, '/app/agents?search=notes')
    // Where the service sends the browser when the session has begun.
    await page.evaluate("location.assign('/app')")
    await page.waitForURL('**/app/agents?search=notes')
  })

  site.journey('shows the errors of the identity provider, and no text of a link', async visitor => {
    const { page, sees } = visitor
    await page.goto('/login?error=SIGN_IN_CANCELLED')
    await sees('The sign-in was cancelled.')
    for (const path of ['/login?error=Call+this+number', '/auth/done#error=Call+this+number']) {
      await page.goto('about:blank')
      await page.goto(path)
      await sees('The sign-in failed. Try again.')
      assert.equal(await page.getByText('Call this number').count(), 0)
    }
  })

  site.journey('a link with tokens of somebody else signs nobody in', async visitor => {
    const { page, sees, heading } = visitor
    const attacker = await registerWithSecondFactor(site.service)
    const { token, refreshToken } = await registerHuman(site.service)
    const tokens = `accessToken=${token}&refreshToken=${refreshToken}&expiresIn=900`
    const victim = await registerHuman(site.service)
    await page.goto(`/auth/done#${tokens}`)
    await sees('This sign-in was not started in this browser tab.')
    assert.ok(!page.url().includes('#'))
    await page.goto(`/login#mfaToken=${await mfaTokenOf(attacker.email)}`)
    await heading('Sign in')
    assert.ok(!page.url().includes('mfaToken'))
    await signIn(visitor, victim)
    await atConsole(page)
    for (const trick of ['', '&clientState=', '&clientState=guessed']) {
      await page.goto('about:blank')
      await page.goto(`/auth/done#${tokens}${trick}`)
      await heading('You are not signed in')
      assert.equal(await signedInAs(visitor), victim.email)
    }
  })

  site.journey('goes on to a page of this site alone', async visitor => {
    const { page, context, fill, press, at } = visitor
    const { email } = await registerHuman(site.service)
    const away = [
      'https://evil.example/app',
      '//evil.example',
      '/\\\\evil.example',
      'javascript:alert(1)',
      '/.//evil.example',
    ]
    for (const next of away) {
      await context.clearCookies()
      await page.goto(`/login?next=${encodeURIComponent(next)}`)
      await fill({ Email: email, Password: PASSWORD })
      await press('Sign in')
      await atConsole(page)
      assert.equal(new URL(page.url()).origin, site.service.baseUrl, next)
    }
    await context.clearCookies()
    await page.goto('/login?next=%2Fdocs')
    await fill({ Email: email, Password: PASSWORD })
    await press('Sign in')
    await at('/docs')
  })

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
      assert.match(await page.locator(`[id="${id}"]`).innerText(), /email/i)
      await fill({ Email: 'nope@example.com' })
      await page.locator('[aria-invalid=true]').waitFor({ state: 'detached' })
      assert.equal(await page.locator(`[id="${id}"]`).count(), 0)
    },
  )

  site.journey('signing out goes to the home page directly', async visitor => {
    const { page, press, at } = visitor
    await signIn(visitor, await registerHuman(site.service))
    await atConsole(page)
    const visited: string[] = []
    page.on('request', request => {
      if (request.isNavigationRequest()) visited.push(new URL(request.url()).pathname)
    })
    await press('Your account')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await at('/')
    assert.deepEqual(visited, ['/'])
  })
})
