import { after, before, suite, test } from 'node:test'
import { startBrowser, startTestService, visit, type TestBrowser, type TestService } from '#test'
import { PASSWORD, WIDE } from './support/console.ts'

/** A fresh server and a person who has never seen it: nothing is read, nothing is prepared. */
suite('the first hire on a fresh server', () => {
  let service: TestService
  let chromium: TestBrowser
  before(async () => {
    service = await startTestService()
    chromium = await startBrowser()
  })
  after(async () => {
    await chromium.close()
    await service.close()
  })

  test('from the home page to the released payment', () =>
    visit(
      service,
      chromium,
      async ({ page, fill, press, sees, heading }) => {
        await page.goto('/')
        await page.getByRole('link', { name: 'All agents' }).first().click()
        await heading('Agents')
        await press('Add sample agents')
        await page.getByRole('link', { name: 'Market Scout' }).click()
        await page.getByRole('link', { name: 'Hire', exact: true }).click()
        await fill({ 'Your name': 'Grace', Email: 'grace@example.com', Password: PASSWORD })
        await press('Create the account')
        await press('Continue')
        await page.getByLabel('What do you need?').fill('A short example')
        await press('Review')
        await page
          .getByRole('button', { name: /^(Add|Pay) / })
          .first()
          .click()
        await sees('is working')
        // The sample agent delivers by itself.
        await sees('Delivered: check the result')
        await press('Release payment')
        await press('Continue')
        await press('Release')
        await sees('was released to the seller')
      },
      { viewport: WIDE },
    ))
})
