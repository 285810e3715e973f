import assert from 'node:assert/strict'
import { suite } from 'node:test'
import type { Page } from 'playwright-core'
import { registerHuman, visitorOn } from '#test'
import { openConsole, settled, signInBy } from './support/console.ts'

/** A session is of the browser: what one tab does with it, the others see. */
suite('an account in several tabs of the console', () => {
  const console = openConsole()
  const chooseSignOut = async (page: Page) => {
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
  }

  console.play('that another one signs in over is gone from the first tab', async visitor => {
    const { page, context, open } = visitor
    await console.newcomer(visitor)
    const second = await registerHuman(console.service)
    await open('/app/wallet')
    const other = visitorOn(await context.newPage(), console.service.baseUrl)
    // As an identity provider does: the browser comes back with another session.
    await signInBy(context, console.service.baseUrl, second)
    const reads = page.waitForResponse(answer => new URL(answer.url()).pathname.includes(second.id))
    await other.page.goto('/app/account')
    await settled(other.page)
    await reads
    await settled(page)
    assert.equal(new URL(page.url()).pathname, '/app/wallet')
    await other.page.close()
  })

  console.play('that is signed out in one tab is signed out in the other', async visitor => {
    const { context, open, heading } = visitor
    await console.newcomer(visitor)
    await open('/app/wallet')
    const other = visitorOn(await context.newPage(), console.service.baseUrl)
    await other.page.goto('/app/account')
    await settled(other.page)
    await chooseSignOut(other.page)
    await heading('Sign in')
    await other.page.close()
  })

  console.play('stays where the sign-out is not answered, and says so', async visitor => {
    const { page, open, sees } = visitor
    await console.newcomer(visitor)
    await open('/app/wallet')
    await page.route('**/auth/logout', route => route.fulfill({ status: 503, body: 'busy' }))
    await chooseSignOut(page)
    await sees('The server is busy.')
    assert.equal(new URL(page.url()).pathname, '/app/wallet')
    await page.unroute('**/auth/logout')
    await chooseSignOut(page)
    await page.waitForURL('**/')
  })
})
