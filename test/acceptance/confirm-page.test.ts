import assert from 'node:assert/strict'
import { test } from 'node:test'
import { linkTo, registerHuman, startBrowser, sharedService, visit } from '#test'

test('the page behind a confirmation link asks who created the account', async t => {
  const service = await sharedService()
  const browser = await startBrowser()
  t.after(async () => {
    await browser.close()
    await service.close()
  })
  const statusOf = async (token: string) => (await service.http('GET', '/users/me', { token })).status

  await t.test('"no" ends what the account was opened with', () =>
    visit(service, browser, async ({ page, press, sees }) => {
      const { email, token } = await registerHuman(service)
      await page.goto(`/verify/${await linkTo(service, email, 'verify')}`)
      await sees('Did you create the account of')
      await press('No, I did not create it')
      await sees('The person who created the account cannot use it any more.')
      assert.equal(await statusOf(token), 401)
    }),
  )

  await t.test('"yes" with the password proves it, a wrong password does not use the link up', () =>
    visit(service, browser, async ({ page, fill, press, sees }) => {
      const { email, token, id } = await registerHuman(service)
      await page.goto(`/verify/${await linkTo(service, email, 'verify')}`)
      await fill({ 'Your password (optional)': 'wrong' })
      await press('Yes, confirm it')
      await sees('password is wrong')
      await fill({ 'Your password (optional)': 'correct horse battery staple' })
      await press('Yes, confirm it')
      await sees('Your email address is confirmed.')
      assert.equal(await statusOf(token), 200)
      const { rows } = await service.services.db.pool.query(
        'select email_owned_at is not null as owned from identity_account where id = $1',
        [id],
      )
      assert.deepEqual(rows, [{ owned: true }])
    }),
  )
})
