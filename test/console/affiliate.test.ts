import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { AffiliateTrial, eventually, type Person, type TestService } from '#test'
import { openConsole, type ConsoleVisitor } from './support/console.ts'

/** Chromium without a window names itself as one, and counts as a bot. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0.0.0 Safari/537.36'

/** An admin approves the application of the person; a buyer whom they referred releases a payment. */
async function earn(service: TestService, { token }: Person): Promise<void> {
  const trial = new AffiliateTrial(service, await service.adminToken())
  const { body } = await service.http<{ id: string; code: string }>('GET', '/affiliates/me', { token })
  await trial.decide(`/affiliates/admin/${body.id}/review`, { decision: 'approve' })
  const market = await trial.market(body)
  await trial.release(market, await trial.delivered(market))
}

/** The page of the affiliate shows the first commission. */
async function seesCommission({ page, sees, heading, open }: ConsoleVisitor): Promise<void> {
  await open('/app/affiliate')
  await heading('Affiliate program')
  await sees('Latest conversions')
  await page.getByRole('cell', { name: 'Deal of a referred buyer' }).waitFor()
  await page.getByRole('cell', { name: /^On hold/ }).waitFor()
}

suite('the affiliate program in the console', () => {
  const console = openConsole()

  console.play('from the application to the first commission, by mouse', async visitor => {
    const { page, open, press, sees, heading } = visitor
    const person = await console.newcomer(visitor)
    await open('/app/affiliate')
    await page.getByRole('link', { name: 'Apply', exact: true }).click()
    await heading('Apply')
    await page.getByLabel('Name').fill('Ada Weekly')
    await page.getByLabel('I accept the terms of the program').check()
    await press('Send the application')
    await sees('Your application is under review')
    await earn(console.service, person)
    await seesCommission(visitor)
    await page.getByLabel('Campaign').fill('june')
    await press('Make a link')
    await sees('utm_campaign=june')
    await page.getByRole('link', { name: 'All commissions' }).click()
    await heading('Commissions')
    const download = page.waitForEvent('download')
    await press('Download CSV')
    await download
  })

  console.play('a link counts clicks, and what is available is paid out', async visitor => {
    const { page, open, press, signIn } = visitor
    const trial = new AffiliateTrial(console.service, await console.service.adminToken())
    const plan = { rateBps: 2000, months: 12, holdDays: 0 }
    const affiliate = await trial.affiliate(undefined, plan)
    await signIn(affiliate)
    await open('/app/affiliate')
    await page.getByLabel('Page', { exact: true }).fill('/app/agents')
    await press('Make a link')
    const link = page.getByText(/affiliates\/r\/.*agents/)
    const url = (await link.textContent()) ?? ''
    await console.visit(
      async guest => {
        await guest.page.goto(url)
        await guest.heading('Agents')
      },
      { userAgent },
    )
    const market = await trial.market(affiliate)
    await trial.release(market, await trial.delivered(market))
    await eventually(
      'the commission is available',
      async () => (await trial.sums(affiliate)).available === '4.00',
    )
    await page.reload()
    const figure = (text: RegExp) => page.locator('.mantine-Card-root').filter({ hasText: text }).waitFor()
    await figure(/^Clicks1/)
    await figure(/^Sign-ups1/)
    await figure(/^Available\$4\.00/)
    await page
      .getByRole('region', { name: 'Visits of the last 30 days' })
      .locator('.recharts-bar-rectangle path')
      .first()
      .waitFor()
    await press('Pay out')
    await page.getByRole('dialog').getByText('$4.00').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Pay out' }).click()
    await figure(/^Available\$0\.00/)
    await figure(/^Paid\$4\.00/)
    await page.getByRole('cell', { name: /^Paid/ }).waitFor()
    assert.equal(await trial.available(affiliate), '4.00')
  })

  console.play('from the application to the first commission, by keyboard only', async visitor => {
    const { page, open, keyboard, sees, heading } = visitor
    const person = await console.newcomer(visitor)
    await open('/app/affiliate')
    await keyboard.press('Apply', 'link')
    await heading('Apply')
    await keyboard.reach(page.getByLabel('Name'))
    await page.keyboard.type('Ada Weekly')
    await keyboard.reach(page.getByLabel('I accept the terms of the program'))
    await page.keyboard.press('Space')
    await keyboard.press('Send the application')
    await sees('Your application is under review')
    await earn(console.service, person)
    await seesCommission(visitor)
    await keyboard.type('Campaign', 'june')
    await keyboard.press('Make a link')
    await sees('utm_campaign=june')
    await keyboard.press('All commissions', 'link')
    await heading('Commissions')
  })
})
