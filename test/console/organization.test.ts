import assert from 'node:assert/strict'
import { before, suite } from 'node:test'
import { BudgetTrial, must, type MadeKey } from '#test'
import { openConsole, type ConsoleVisitor } from './support/console.ts'
import { handsOf, WAYS } from './support/hands.ts'

suite('an organization in the console', () => {
  const console = openConsole()
  let trial: BudgetTrial
  before(async () => {
    trial = await BudgetTrial.open(console.service)
  })
  const openOrganization = async ({ open, signIn }: ConsoleVisitor, person = trial.owner) => {
    await signIn(person)
    await open(`/app/organizations/${trial.slug}`)
  }

  for (const way of WAYS)
    console.play(`its owner sets limits and budgets, by ${way}`, async visitor => {
      const { page, sees } = visitor
      await trial.begin()
      assert.equal((await trial.transfer(30)).status, 201)
      await openOrganization(visitor)
      const hands = handsOf(visitor, way)
      await sees('Spent in this period: $30.00.')
      await hands.press('Change the limits')
      await hands.type('Most in a month', '200')
      await hands.type('Most for one payment', '80')
      await hands.confirm('Save the limits')
      await sees('Spent in this period: $30.00 of $200.00; $170.00 are left.')
      const row = page
        .getByRole('table', { name: 'Budgets of members' })
        .getByRole('row')
        .filter({ hasText: 'Admin' })
      await hands.press(row.getByRole('button'))
      await hands.type('Monthly budget', '50')
      await hands.confirm('Save the budget')
      await row.getByText('$20.00').waitFor()
      assert.deepEqual((await trial.transfer(21)).body.code, 'MEMBER_BUDGET_EXCEEDED')
      assert.deepEqual((await trial.transfer(81, trial.owner)).body.code, 'ORGANIZATION_PAYMENT_TOO_LARGE')
      const offer = page.getByRole('alert').filter({ hasText: 'The budget of' })
      await hands.press(offer.getByRole('button', { name: 'Undo' }))
      await row.getByText('No limit').waitFor()
      assert.equal((await trial.transfer(21)).status, 201)
    })

  console.play('its admin reads the limits, and a refused transfer shows what is left', async visitor => {
    const { page, open, press, sees } = visitor
    await trial.begin()
    await trial.setPolicy({ monthlyLimit: 40 })
    await openOrganization(visitor, trial.admin)
    await sees('An owner sets these limits.')
    assert.equal(await page.getByRole('button', { name: 'Change the limits' }).count(), 0)
    await open(`/app/wallet/${trial.walletId}`)
    await press('Transfer')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('To').fill(trial.market.outsider.walletId)
    await dialog.getByLabel('Amount').fill('41')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByRole('button', { name: 'Send' }).click()
    await sees('40.00 of 40.00 is left, and 41.00 is needed')
  })

  console.play('its deal is paid from its wallet at once, not from that of the person', async visitor => {
    const { page, open, press, sees } = visitor
    await trial.begin()
    const { service, owner, market, organizationId } = trial
    const made = await trial.send<MadeKey>('POST', '/api/v1/service-accounts', {
      name: 'Buying',
      organizationId,
    })
    const offer = { responderAgentId: market.agent.id, requestedService: 'Notes', budget: 5 }
    const { body: deal } = await service.http<{ id: string }>('POST', '/ap2/negotiate', {
      token: made.body.apiKey,
      body: offer,
    })
    await must(market, 'seller', '/ap2/respond', { negotiationId: deal.id, status: 'ACCEPTED' })
    await visitor.signIn(owner)
    await open(`/app/deals/${deal.id}`)
    await page.getByRole('radio', { name: 'Works', checked: true }).waitFor()
    await press('Pay $5.00 into escrow')
    await handsOf(visitor, 'mouse').confirm('Pay')
    await sees('is working')
    // Each member of the organization sees it as a purchase, whichever member made the offer.
    await visitor.signIn(trial.admin)
    await open('/app/deals')
    await page.getByRole('row', { name: /Notes.*you buy/ }).waitFor()
  })

  console.play('its wallet pays vouchers, which an admin makes and cancels', async visitor => {
    const { page, open, sees } = visitor
    await trial.begin()
    await visitor.signIn(trial.admin)
    await open(`/app/wallet/${trial.walletId}`)
    await page.getByRole('main').getByRole('link', { name: 'Vouchers', exact: true }).click()
    await sees('Codes that pay an amount of the wallet of Works')
    await page.getByRole('button', { name: 'Create a voucher' }).first().click()
    await page.getByRole('dialog').getByLabel('Amount').fill('12')
    await handsOf(visitor, 'mouse').confirm('Create for $12.00')
    await sees('The voucher is ready')
    await page.getByRole('row', { name: '$12.00' }).getByText('Active').waitFor()
    const made = await trial.must<{ total: number }>('GET', `/wallet-vouchers?walletId=${trial.walletId}`)
    assert.equal(made.total, 1)
    await visitor.signIn(trial.member)
    await page.reload()
    const row = page.getByRole('row', { name: '$12.00' })
    await row.waitFor()
    assert.equal(await page.getByRole('button', { name: /voucher/ }).count(), 0)
    await visitor.signIn(trial.admin)
    await page.reload()
    await row.getByRole('button', { name: 'Cancel the voucher' }).click()
    await handsOf(visitor, 'mouse').confirm('Cancel the voucher')
    await row.getByText('Cancelled').waitFor()
  })

  console.play('shows nobody what their role does not allow', async visitor => {
    const { page, open, sees } = visitor
    await trial.begin()
    await openOrganization(visitor, trial.admin)
    const members = page.getByRole('table', { name: 'Members' })
    await members
      .getByRole('row', { name: /Member/ })
      .getByRole('button', { name: 'Change' })
      .waitFor()
    assert.equal(await members.getByRole('row', { name: /Owner/ }).getByRole('button').count(), 0)
    await visitor.press('Invite a person')
    await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).click()
    await page.getByRole('option', { name: 'Admin' }).waitFor()
    assert.equal(await page.getByRole('option', { name: 'Owner' }).count(), 0)
    await visitor.signIn(trial.member)
    await open(`/app/wallet/${trial.walletId}`)
    await sees('CSV')
    assert.equal(await page.getByRole('button', { name: /Transfer|Add money/ }).count(), 0)
    await open('/app/selling/payouts')
    assert.equal(await page.getByRole('option', { name: /Works/ }).count(), 0)
  })

  console.play('an owner changes what an invited person and a member are offered', async visitor => {
    const { page } = visitor
    await trial.begin()
    const { outsider } = trial.market
    await trial.must('POST', `/organizations/${trial.slug}/members`, { userId: outsider.id, role: 'MEMBER' })
    await openOrganization(visitor)
    const hands = handsOf(visitor, 'mouse')
    const members = page.getByRole('table', { name: 'Members' })
    const offer = async (person: string, role: string) => {
      await members.getByRole('row', { name: person }).getByRole('button', { name: 'Change' }).click()
      await page.getByRole('dialog').getByRole('combobox', { name: 'Role' }).click()
      await page.getByRole('option', { name: role }).click()
      await hands.confirm('Save the role')
    }
    await offer('Invited person', 'Admin')
    await members.getByRole('row', { name: /^Invited person Admin Invited/ }).waitFor()
    // A member becomes an owner by agreeing: until then the offer is shown.
    await offer('Member Active', 'Owner')
    await members.getByRole('row', { name: /Member, Owner is offered/ }).waitFor()
  })

  console.play('a long name makes a short name that is valid', async visitor => {
    await visitor.signIn(trial.owner)
    await visitor.open('/app/organizations')
    const hands = handsOf(visitor, 'mouse')
    const name = `${'Works'.repeat(9)} One and more`
    await hands.press('Create an organization')
    await hands.type(visitor.page.getByRole('textbox', { name: 'Name', exact: true }), name)
    await hands.confirm('Create an organization')
    await visitor.heading(name)
  })

  console.play('is renamed, and the old name comes back by Undo', async visitor => {
    const { page, heading } = visitor
    await trial.begin()
    await openOrganization(visitor)
    const hands = handsOf(visitor, 'mouse')
    await hands.press('Rename')
    await hands.type(page.getByRole('textbox', { name: 'Name' }), 'Engine Works')
    await hands.confirm('Rename')
    await heading('Engine Works')
    await hands.press('Undo')
    await page.getByRole('heading', { level: 1, name: 'Works', exact: true }).waitFor()
    await page.reload()
    await heading('Works')
  })
})
