import assert from 'node:assert/strict'
import { suite } from 'node:test'
import {
  AffiliateTrial,
  eventually,
  fund,
  joinOrganization,
  mailTo,
  publishAgent,
  registerHuman,
} from '#test'
import { signedInAs } from '../acceptance/browser/site.ts'
import { openConsole, PASSWORD } from './support/console.ts'

interface Subscription {
  currentPeriodStart: string
  currentPeriodEnd: string
}
const daysOf = ({ currentPeriodStart: start, currentPeriodEnd: end }: Subscription): number =>
  (Date.parse(end) - Date.parse(start)) / 86_400_000

suite('the account in the console', () => {
  const console = openConsole()
  const signInElsewhere = (email: string) =>
    console.service.http<{ accessToken: string }>('POST', '/auth/login', {
      body: { email, password: PASSWORD },
    })
  const statusOf = async (token: string) => (await console.service.http('GET', '/users/me', { token })).status

  console.play('changes name and address, and ends other sessions', async visitor => {
    const { page, open, fill, press, sees } = visitor
    const { email } = await console.newcomer(visitor)
    const { body: other } = await signInElsewhere(email)
    await open('/app/account')
    await fill({ 'Your name': 'Grace Hopper' })
    await press('Save')
    await sees('Saved.')
    await fill({ 'New email address': `new-${email}` })
    await press('Change the address')
    await sees(`We have sent a link to new-${email}`)
    await mailTo(console.service, `new-${email}`, /verify/)
    await page.reload()
    await sees(`We have sent a link to new-${email}`)
    await press('Withdraw the change')
    await page.getByText('We have sent a link to').waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('button', { name: 'Change the address' }).waitFor()
    assert.equal(await page.getByText('We have sent a link to').count(), 0)
    await open('/app/account/security')
    await sees('This browser')
    assert.equal(await statusOf(other.accessToken), 200)
    await press('End all other sessions')
    await page.getByRole('button', { name: 'End all other sessions' }).waitFor({ state: 'detached' })
    assert.equal(await statusOf(other.accessToken), 401)
    assert.equal(await signedInAs(visitor), email)
    await fill({ 'Current password': 'not the password', 'New password': 'another horse battery' })
    await press('Change the password')
    await sees('Email or password is wrong.')
    await fill({ 'Current password': PASSWORD })
    await press('Change the password')
    await sees('Your new password is saved.')
  })

  console.play('continues a plan by the card that paid it', async visitor => {
    const { page, open, press, sees } = visitor
    const { token } = await console.newcomer(visitor)
    const { http } = console.service
    await http('POST', '/subscriptions/checkout', { token, body: { paymentMethodId: 'pm_card_visa' } })
    await http('POST', '/subscriptions/cancel', { token, body: {} })
    await open('/app/account/plan')
    await press('Continue the plan')
    const question = page.getByRole('dialog')
    await question.getByText('Your card still pays the renewals.').waitFor()
    await question.getByRole('button', { name: 'Continue the plan' }).click()
    await sees('Your plan renews on')
    const { body } = await http<{ renewsFrom: string }>('GET', '/subscriptions/me', { token })
    assert.equal(body.renewsFrom, 'card')
  })

  console.play('names all money that a deletion would lose', async visitor => {
    const { page, open, press } = visitor
    const trial = new AffiliateTrial(console.service, await console.service.adminToken())
    const plan = { rateBps: 2000, months: 12 }
    const owner = await trial.affiliate(undefined, { ...plan, holdDays: 0 })
    await visitor.signIn(owner)
    const { token } = owner
    const { http } = console.service
    const earn = async () => {
      const market = await trial.market(owner)
      await trial.release(market, await trial.delivered(market))
    }
    const must = async <Body>(path: string, body: object): Promise<Body> => {
      const answer = await http<Body>('POST', path, { token, body })
      assert.ok(answer.status < 300, answer.text)
      return answer.body
    }
    const organization = async (slug: string) => {
      await must('/organizations', { slug, name: slug })
      const { body } = await http<{ id: string }>('GET', `/wallets/org/${slug}`, { token })
      await fund(console.service, { ...owner, walletId: body.id }, 7)
    }
    // Before the affiliate pays with a card, as the buyers do: the same card would be a reason for suspicion.
    await earn()
    await eventually('it is available', async () => (await trial.sums(owner)).available === '4.00')
    await trial.decide(`/affiliates/admin/${owner.profileId}/commission-plan`, { ...plan, holdDays: 30 })
    await earn()
    await fund(console.service, owner, 30)
    await must('/v1/wallet/topup', { amount: 4 })
    for (const name of ['One', 'Two']) {
      const { walletId } = await publishAgent(console.service, owner, { name })
      await fund(console.service, { ...owner, walletId }, 20)
    }
    const usdc = await must<{ id: string }>('/wallets', { currency: 'USDC' })
    await console.service.http('POST', '/wallets/admin/test-credit', {
      token: await console.service.adminToken(),
      body: { walletId: usdc.id, amount: 3, reason: 'test' },
    })
    await organization('alone-here')
    await organization('two-of-us')
    const other = await registerHuman(console.service)
    await joinOrganization(console.service, owner, other, { slug: 'two-of-us', role: 'MEMBER' })
    await must('/subscriptions/checkout', { paymentMethodId: 'pm_card_visa' })
    await open('/app/account')
    await press('Delete the account')
    const lost = page.getByRole('dialog').getByRole('alert')
    await lost.waitFor()
    const { body } = await http<Subscription>('GET', '/subscriptions/me', { token })
    const rest = 59 - 59 / daysOf(body)
    const places = await lost.getByRole('listitem').allTextContents()
    assert.deepEqual(
      places.map(place => place.replace(/(\.\d\d)\d+/, '$1')),
      [
        '$26.00 + 3.00\u00a0USDC in your wallets',
        '$40.00 in the wallets of your agents',
        '$4.00 in your routing balance',
        '$8.00 in commissions that are not paid out yet',
        `About $${Math.floor(rest * 100) / 100} for the days of your plan that have not begun`,
        '$7.00 in the wallets of alone-here, which has no other member',
      ],
    )
  })

  console.play('shows no renewal of a plan that ended at once', async visitor => {
    const { page, open, press, sees } = visitor
    const person = await console.newcomer(visitor)
    await fund(console.service, person, 59)
    await console.service.http('POST', '/subscriptions/checkout', {
      token: person.token,
      body: { rail: 'wallet' },
    })
    await open('/app/account/plan')
    await sees('Your plan renews on')
    await press('Cancel the plan')
    await page.getByRole('radio', { name: /^Now/ }).check()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the plan' }).click()
    await page.getByRole('button', { name: 'Pay from the wallet' }).waitFor()
    assert.equal(await page.getByText('Your plan renews on').count(), 0)
  })

  console.play('says before a payment by card what pays the months after it', async visitor => {
    const { page, open, press } = visitor
    const { token } = await console.newcomer(visitor)
    await open('/app/account/plan')
    await press('Pay by card')
    const question = page.getByRole('dialog')
    await question.getByText('The next months are paid from your wallet').waitFor()
    await question.getByRole('button', { name: 'Pay', exact: true }).click()
    await page.waitForURL(/\/sandbox\/checkout\//)
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await console.service.http('POST', `/sandbox/checkout/${id}`, {
      body: { paymentMethodId: 'pm_card_visa' },
    })
    const { body } = await console.service.http<{ renewsFrom: string }>('GET', '/subscriptions/me', { token })
    assert.equal(body.renewsFrom, 'wallet')
  })

  console.play('subscribes, unsubscribes from mails, and is deleted', async visitor => {
    const { page, open, press, sees } = visitor
    const person = await console.newcomer(visitor)
    await fund(console.service, person, 100)
    const seller = await publishAgent(console.service, await registerHuman(console.service))
    await console.service.http('POST', '/ap2/negotiate', {
      token: person.token,
      body: { responderAgentId: seller.id, requestedService: 'Say hello', budget: 5 },
    })
    await open('/app/account/plan')
    await press('Pay from the wallet')
    await page.getByRole('dialog').getByText('$59.00').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Pay', exact: true }).click()
    await sees('Your plan renews on')
    await press('Cancel the plan')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the plan' }).click()
    await sees('Your plan ends on')
    await press('Continue the plan')
    const question = page.getByRole('dialog')
    await question.getByText('The same wallet still pays the renewals.').waitFor()
    await question.getByRole('button', { name: 'Continue the plan' }).click()
    await sees('Your plan renews on')
    await open('/app/account/notifications')
    await sees('A deal was offered')
    await press('Mark all as read')
    await page.getByText('New', { exact: true }).waitFor({ state: 'detached' })
    for (const [channel, name] of [
      ['email', 'Email'],
      ['inApp', 'Here'],
      ['webhook', 'Webhook'],
    ] as const) {
      const choice = page.getByRole('switch', {
        name: `Offers, counteroffers and their acceptance: ${name}`,
      })
      await Promise.all([
        page.waitForResponse(response => response.request().method() === 'PATCH'),
        choice.press('Space'),
      ])
      const { body } = await console.service.http<{ offers: Record<string, boolean> }>(
        'GET',
        '/users/me/notifications',
        { token: person.token },
      )
      assert.equal(body.offers[channel], false)
    }
    await sees('Nothing happened yet.')
    const money = page.getByRole('switch', { name: 'Payments, refunds and disputes: Email' })
    assert.deepEqual([await money.isChecked(), await money.isDisabled()], [true, true])
    await open('/app/account')
    await press('Delete the account')
    const remove = page.getByRole('button', { name: 'Delete the account for good' })
    assert.equal(await remove.isDisabled(), true)
    await page.getByLabel('Type DELETE MY ACCOUNT').fill('DELETE MY ACCOUNT')
    await remove.click()
    await page.waitForURL('**/')
    await sees('Your account is deleted.')
    assert.equal((await signInElsewhere(person.email)).status, 401)
  })
})
