import { suite } from 'node:test'
import { type TestService } from '#test'
import { openSite, PASSWORD, registerWithSecondFactor, totpCode } from './site.ts'

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

/** What people do who claim an agent that a program announced. */
suite('journeys to an agent', () => {
  const site = openSite()

  site.journey(
    'a newcomer claims an agent, and publishes it',
    async ({ page, fill, press, at, sees, heading }) => {
      await page.goto(await claimLink(site.service, 'Scribe'))
      await heading('Claim Scribe')
      await fill({ 'Your name': 'Cleo', Email: 'cleo@example.com', Password: PASSWORD })
      await press('Create an account and claim')
      await at('/account')
      await sees('Scribe is yours.')
      await press('Publish Scribe')
      await sees('Scribe can be hired now.')
      await page.goto('/')
      await page.getByRole('heading', { name: 'Scribe' }).waitFor()
    },
  )

  site.journey(
    'a claim by password and second factor goes on where it began',
    async ({ page, fill, press, at, sees }) => {
      const someone = await registerWithSecondFactor(site.service)
      const path = await claimLink(site.service, 'Night Scribe')
      await page.goto(path)
      await page.getByText('I have an account').click()
      await fill({ Email: someone.email, Password: 'not my password' })
      await press('Sign in and claim')
      await sees('Email or password is wrong.')
      await fill({ Password: PASSWORD })
      await press('Sign in and claim')
      await fill({ Code: totpCode(someone.secret) })
      await press('Continue')
      await at(path)
      await press('Claim Night Scribe')
      await at('/account')
      await sees('Night Scribe is yours.')
    },
  )

  site.journey(
    'a claim that fails after the sign-in is repeated alone',
    async ({ page, fill, press, at, sees }) => {
      const path = await claimLink(site.service, 'Flaky')
      await page.goto(path)
      await page.route('**/agents/claim/**', route => route.abort(), { times: 1 })
      await fill({ 'Your name': 'Di', Email: 'di@example.com', Password: PASSWORD })
      await press('Create an account and claim')
      await sees('The server did not answer.')
      await sees('You are signed in as Di (di@example.com)')
      await press('Claim Flaky')
      await at('/account')
    },
  )
})
