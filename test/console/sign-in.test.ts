import assert from 'node:assert/strict'
import { suite } from 'node:test'
import {
  assertNoTokenWithinReach,
  registerWithSecondFactor,
  signedInAs,
  totpCode,
} from '../acceptance/browser/site.ts'
import { openConsole, PASSWORD } from './support/console.ts'

/** A second factor is set up, and asked for at the next sign-in. */
suite('signing in to the console with a second factor', () => {
  const console = openConsole()

  console.play('is set up and used by mouse', async visitor => {
    const { page, open, fill, press, sees, heading } = visitor
    const { email } = await console.newcomer(visitor)
    await open('/app/account/security')
    await press('Set up')
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    const secret = await page.locator('code').innerText()
    await fill({ Code: '000000' })
    await press('Turn on')
    await sees('This code is wrong')
    await fill({ Code: totpCode(secret) })
    await press('Turn on')
    const codes = page.getByRole('list', { name: 'Your backup codes' }).getByRole('listitem')
    await codes.nth(9).waitFor()
    const backupCode = await codes.first().innerText()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    assert.equal(file.suggestedFilename(), 'svc-backup-codes.txt')
    await press('I have stored the codes')
    await sees('10 backup codes are left.')
    await press('Your account')
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/')

    // A page that needs an account asks for the sign-in, and comes back.
    await open('/app/account/security')
    await heading('Sign in')
    await fill({ Email: email, Password: PASSWORD })
    await press('Sign in')
    await press('Use a backup code')
    await fill({ 'Backup code': backupCode })
    await press('Continue')
    await page.waitForURL('**/app/account/security')
    await sees('9 backup codes are left.')
    assert.equal(await signedInAs(visitor), email)
    await assertNoTokenWithinReach(visitor)
  })

  console.play('is used by keyboard only', async visitor => {
    const { page, open, keyboard, sees } = visitor
    const { email, secret } = await registerWithSecondFactor(console.service)
    await open('/')
    await keyboard.press('Sign in', 'link')
    await keyboard.type('Email', email)
    await keyboard.type('Password', PASSWORD)
    await page.keyboard.press('Enter')
    // The field has the focus already.
    await page.getByLabel('Code', { exact: true }).and(page.locator(':focus')).waitFor()
    await page.keyboard.type('000000')
    await page.keyboard.press('Enter')
    await sees('This code is wrong')
    await keyboard.type('Code', totpCode(secret))
    await keyboard.press('Continue')
    await page.waitForURL('**/app/**')
    assert.equal(await signedInAs(visitor), email)
    await keyboard.press('Your account')
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    for (let presses = 0; presses < 10; presses++) {
      const name = await page.evaluate<string>('document.activeElement.textContent')
      if (name === 'Sign out') break
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
    await page.waitForURL('**/')
    assert.equal(await signedInAs(visitor), null)
  })
})
