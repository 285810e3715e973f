import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { type TestService, type Visitor } from '#test'
import { atConsole, fetchAs, openSite, PASSWORD, registerWithSecondFactor, totpCode } from './site.ts'

const claimLink = async (service: TestService, name: string) => {
  const username = `bot_${Math.random().toString(36).slice(2, 10)}`
  const { body: bot } = await service.http<{ accessToken: string }>('POST', '/auth/register-agent', {
    body: { username, walletType: 'managed' },
  })
  const { body } = await service.http<{ claim_url: string }>('POST', '/agents/announce', {
    token: bot.accessToken,
    body: { name },
  })
  return new URL(body.claim_url).pathname
}

/** Names of the agents of the account that the browser is signed in to. */
const agentsOf = async (visitor: Visitor): Promise<string[] | undefined> =>
  (await fetchAs<{ items: { name: string }[] }>(visitor, '/agents/my-agents'))?.items.map(({ name }) => name)

/** What people do who claim an agent that a program announced. */
suite('journeys to an agent', () => {
  const site = openSite()

  site.journey('a newcomer claims an agent', async visitor => {
    const { page, fill, press, sees, heading } = visitor
    await page.goto(await claimLink(site.service, 'Scribe'))
    await heading('Claim Scribe')
    await fill({ 'Your name': 'Cleo', Email: 'cleo@example.com', Password: PASSWORD })
    await press('Create an account and claim')
    await atConsole(page)
    await sees('The agent is yours.')
    assert.deepEqual(await agentsOf(visitor), ['Scribe'])
  })

  site.journey('a claim by password and second factor goes on where it began', async visitor => {
    const { page, fill, press, sees } = visitor
    const someone = await registerWithSecondFactor(site.service)
    await page.goto(await claimLink(site.service, 'Night Scribe'))
    await page.getByRole('tab', { name: 'I have an account' }).click()
    await fill({ Email: someone.email, Password: 'not my password' })
    await press('Sign in and claim')
    await sees('Email or password is wrong.')
    await fill({ Password: PASSWORD })
    await press('Sign in and claim')
    await fill({ Code: totpCode(someone.secret) })
    await press('Continue')
    await atConsole(page)
    assert.deepEqual(await agentsOf(visitor), ['Night Scribe'])
  })

  site.journey('a claim that fails after the sign-in is repeated alone', async visitor => {
    const { page, fill, press, sees } = visitor
    await page.goto(await claimLink(site.service, 'Flaky'))
    await page.route('**/agents/claim/**', route => route.abort(), { times: 1 })
    await fill({ 'Your name': 'Di', Email: 'di@example.com', Password: PASSWORD })
    await press('Create an account and claim')
    await sees('You are signed in as Di (di@example.com)')
    await press('Claim Flaky')
    await atConsole(page)
    assert.deepEqual(await agentsOf(visitor), ['Flaky'])
  })

  site.journey(
    'a visit uses no claim link up, and an account of somebody else can be left',
    async visitor => {
      const { page, fill, press, sees } = visitor
      const path = await claimLink(site.service, 'Shared')
      await page.goto(path)
      await page.goto('/signup')
      await fill({ 'Your name': 'Ed', Email: 'ed@example.com', Password: PASSWORD })
      await press('Create the account')
      await sees('We have sent a link to ed@example.com')
      await page.goto(path)
      await sees('You are signed in as Ed (ed@example.com)')
      await press('Use another account')
      await page.getByRole('tab', { name: 'I have an account' }).waitFor()
      assert.equal(new URL(page.url()).pathname, path)
    },
  )
})
