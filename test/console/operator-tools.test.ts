import assert from 'node:assert/strict'
import { before, suite } from 'node:test'
import {
  AffiliateTrial,
  ChargebackTrial,
  connectBank,
  deliveredDeal,
  heldDeal,
  must,
  openMarket,
  publishAgent,
  registerHuman,
  startTestService,
  type Earner,
  type Market,
  type Person,
} from '#test'
import { openConsole, settled } from './support/console.ts'
import { ADMIN } from './support/desk.ts'

suite('the tools of an operator', () => {
  // A payout of more than 20 USD waits for an admin.
  const console = openConsole(() => startTestService({ PAYOUT_REVIEW_USD: '20' }))
  let market: Market
  let admin: string
  before(async () => {
    market = await openMarket(console.service, { amount: 1000, card: true })
    admin = market.admin
    const { escrowId } = await deliveredDeal(market, { requestedService: 'Notes of version 1' })
    await must(market, 'buyer', '/payments/ap2/release', { escrowId })
  })

  const play = console.playAs(() => ADMIN, '/app/admin')

  const named = async (displayName: string): Promise<Person> => {
    const person = await registerHuman(console.service)
    await console.service.http('PATCH', '/users/me', { token: person.token, body: { displayName } })
    return person
  }

  play('the overview draws the figures and leads to open work', '', async ({ page, heading }) => {
    for (const title of ['Funded deals', 'Sign-ups'])
      await page
        .getByRole('img', { name: new RegExp(`^${title} by day, [1-9]`) })
        .locator('.recharts-bar-rectangle path')
        .first()
        .waitFor()
    for (const title of ['Volume', 'Fees'])
      await page
        .getByRole('img', { name: new RegExp(`^${title} by day, \\$[1-9]`) })
        .locator('.recharts-area-area')
        .waitFor()
    await page.getByRole('link', { name: 'Frozen escrows' }).click()
    await heading('Disputes')
    assert.equal(await page.getByRole('combobox', { name: 'State' }).inputValue(), 'FROZEN')
  })

  play('an account is found, suspended and reinstated', '/users', async ({ page, sees, press }, hands) => {
    const person = await named('Charles Babbage')
    const status = async () =>
      (await console.service.http('GET', '/users/me', { token: person.token })).status
    await hands.type('Name, email, username or id', 'Babbage')
    await page.getByRole('link', { name: 'Charles Babbage' }).click()
    const suspend = async () => {
      await hands.press('Suspend')
      await hands.type('Reason', 'Spam')
      await hands.confirm('Suspend')
      await sees('Suspended')
      assert.equal(await status(), 403)
    }
    await suspend()
    await press('Undo')
    await sees('The change was undone')
    await page.getByRole('button', { name: 'Suspend', exact: true }).waitFor()
    await suspend()
    await hands.press('Reinstate')
    await hands.confirm('Reinstate')
    await sees('Reinstated')
    await page
      .getByRole('row', { name: /account\.suspended.*Spam/ })
      .first()
      .waitFor()
  })

  play('a frozen escrow is unfrozen', '/escrows?status=FROZEN', async ({ page, open }, hands) => {
    const own = { ...market, agent: await publishAgent(console.service, market.agent.owner) }
    const { escrowId } = await heldDeal(own, { requestedService: 'Watch the server' })
    await must(own, 'seller', `/agents/${own.agent.id}/revoke-key`, {})
    await open('/app/admin/escrows?status=FROZEN')
    await page.getByRole('link', { name: 'Watch the server' }).click()
    await hands.press('Unfreeze')
    await hands.type('Reason', 'The key was changed')
    await hands.confirm('Unfreeze')
    await page.getByText('Held', { exact: true }).first().waitFor()
    const { status } = await must<{ status: string }>(own, 'buyer', `/payments/escrow/${escrowId}`)
    assert.equal(status, 'HELD')
  })

  play('a large payout is approved', '/payouts?status=REVIEW', async ({ page, open, sees }, hands) => {
    const { id, owner } = market.agent
    await connectBank(console.service, owner.token, { agentId: id })
    const requested = await console.service.http<{ id: string }>('POST', '/payouts/request', {
      token: owner.token,
      body: { agentId: id, amount: 50 },
    })
    assert.equal(requested.status, 201, requested.text)
    await open('/app/admin/payouts?status=REVIEW')
    const row = page.getByRole('row', { name: /\$50\.00/ })
    await row.getByText('In review').waitFor()
    await row.getByRole('link', { name: 'Decide' }).click()
    await page
      .getByRole('row', { name: /\$50\.00/ })
      .getByRole('button', { name: /^Approve/ })
      .click()
    await hands.confirm('Approve')
    await sees('Approved')
    const { body } = await console.service.http<{ items: { status: string }[] }>(
      'GET',
      `/payouts/history/${id}`,
      { token: owner.token },
    )
    assert.notEqual(body.items[0]?.status, 'REVIEW')
  })

  play('a chargeback gets evidence, and a loss is written off', '/chargebacks', async (visitor, hands) => {
    const { page, open, sees } = visitor
    const trial = await ChargebackTrial.of(console.service)
    const lost = await trial.disputed(31, 31)
    await trial.lose(lost.disputeId)
    await trial.disputed(32)
    await open('/app/admin/chargebacks')
    const row = page.getByRole('row', { name: /\$32\.00/ })
    await row.getByRole('button', { name: /^Submit evidence/ }).click()
    await page.getByRole('dialog').waitFor()
    await hands.type('Evidence', 'The payer confirmed the order by mail')
    await hands.confirm('Submit evidence')
    await sees('Evidence submitted')
    await row.getByText('At the bank').waitFor()
    const debt = page.getByRole('row', { name: /\$31\.00/ })
    await debt.getByRole('button', { name: /^Write off/ }).click()
    await page.getByRole('dialog').getByText('$31.00').waitFor()
    await hands.type('Reason', 'The payer does not respond')
    await hands.confirm('Write off')
    await sees('Written off')
    await debt.getByRole('button', { name: /^Write off/ }).waitFor({ state: 'detached' })
    assert.equal((await trial.read(lost.chargebackId)).owed.open, '0.00')
  })

  play('a comparison with the processor is started', '/reconciliation', async (visitor, hands) => {
    const { page, open, sees } = visitor
    await sees('Nothing was compared yet')
    await hands.press('Compare now')
    const result = page.getByRole('main').getByText(/\d differences?/)
    await result.waitFor()
    await sees('Matches')
    await open('/app/admin/reconciliation?offset=25')
    await sees('Matches')
  })

  play('a page after the end of a list becomes the last page', '/users', async ({ page, open }) => {
    const rows = page.getByRole('row').filter({ has: page.getByRole('cell') })
    await rows.first().waitFor()
    await open('/app/admin/users?offset=2500')
    await rows.first().waitFor()
    assert.ok(!page.url().includes('2500'))
    // The address of the missing page is not in the history.
    await page.goBack()
    await rows.first().waitFor()
    assert.equal(new URL(page.url()).search, '')
  })

  play('the ledger is explored from the trial balance to a journal', '/ledger', async visitor => {
    const { page, heading, sees } = visitor
    await page.getByText('Balanced', { exact: true }).first().waitFor()
    const trial = page.getByRole('table', { name: 'Trial balance' })
    await trial
      .getByRole('link', { name: /^2010 / })
      .first()
      .click()
    const accounts = page.getByRole('table', { name: 'Ledger accounts' })
    await settled(page)
    assert.equal(await accounts.getByRole('link', { name: /^(?!2010)/ }).count(), 0)
    // Not each of them has entries.
    const balance = page.getByRole('cell', { name: /^[1-9][\d.,]* USD$/ })
    const used = accounts.getByRole('row').filter({ has: balance })
    await used.first().getByRole('link').click()
    await sees('Balance after')
    await page.getByRole('table', { name: 'Entries' }).getByRole('link').first().click()
    await sees('Posting key')
    const legs = page.getByRole('table', { name: 'Legs' })
    const account = legs.getByRole('link').first()
    const name = ((await account.textContent()) ?? '').slice('2010 '.length)
    await account.click()
    await heading(name)
  })

  play('the audit log is filtered', '/audit', async ({ page, open }, hands) => {
    await console.service.http('POST', `/admin/users/${(await named('Ada')).id}/suspend`, {
      token: admin,
      body: { reason: 'Checked by phone' },
    })
    await open('/app/admin/audit')
    await hands.type(page.getByRole('textbox', { name: 'Action' }), 'account.suspended')
    await hands.press('Filter')
    await settled(page)
    await page.getByRole('row', { name: /account\.suspended.*Checked by phone/ }).waitFor()
    const actions = await page.locator('tbody tr td:nth-child(2)').allTextContents()
    assert.deepEqual([...new Set(actions)], ['account.suspended'])
  })

  play('health, limits and settings are read', '/health', async ({ page, open, sees }, hands) => {
    for (const name of ['Process', 'Database', 'Model gateway'])
      await page.getByText(name, { exact: true }).first().waitFor()
    await page.getByText('OK', { exact: true }).nth(1).waitFor()
    for (const table of ['Jobs', 'Deadlines'])
      await page.getByRole('table', { name: table }).getByRole('row').nth(1).waitFor()
    await open('/app/admin/settings')
    await hands.type('Find a setting', 'PAYOUT_REVIEW')
    const row = page.getByRole('row', { name: /PAYOUT_REVIEW_USD/ })
    await row.getByText('20', { exact: true }).waitFor()
    await row.getByText('Environment').waitFor()
    await page.getByLabel('Find a setting').fill('RATE_LIMIT')
    await page
      .getByRole('row', { name: /RATE_LIMIT/ })
      .first()
      .waitFor()
    await page.getByLabel('Find a setting').fill('no such setting')
    await sees('No setting matches')
  })

  play('an affiliate is approved, gets a plan and is suspended', '/affiliates', async (visitor, hands) => {
    const { page, open, sees, press } = visitor
    const { token } = await registerHuman(console.service)
    const body = { displayName: 'Agents Weekly', acceptTerms: true }
    const applied = await console.service.http<{ id: string }>('POST', '/affiliates/apply', { token, body })
    await open('/app/admin/affiliates')
    const row = page.getByRole('row', { name: /Agents Weekly/ })
    await hands.press('Approve: Agents Weekly')
    await hands.confirm('Approve')
    await sees('Application decided')
    const rate = (await row.getByText(/%$/).textContent()) ?? ''
    const changePlan = async (label: string, value: string) => {
      await hands.press('Plan: Agents Weekly')
      await page.getByLabel(label, { exact: true }).clear()
      await page.getByLabel(label, { exact: true }).pressSequentially(value)
      await hands.confirm('Plan')
    }
    const lastPlan = async () => {
      const path = '/admin/audit?action=affiliate.plan_changed'
      type Log = { items: { details: object }[] }
      return (await console.service.http<Log>('GET', path, { token: admin })).body.items[0]?.details
    }
    await changePlan('Rate', '25')
    await row.getByText('25%').waitFor()
    assert.deepEqual(await lastPlan(), { rateBps: 2500 }, 'only what was edited')
    await press('Undo')
    await row.getByText(rate, { exact: true }).waitFor()
    assert.deepEqual(await lastPlan(), { customPlan: false }, 'the rates of the tier count again')
    // Another admin changes the rate while the page is open.
    const path = `/affiliates/admin/${applied.body.id}/commission-plan`
    await console.service.http('POST', path, { token: admin, body: { rateBps: 2225 } })
    await changePlan('Hold period in days', '14')
    await row.getByText('22.25%').waitFor()
    assert.deepEqual(await lastPlan(), { holdDays: 14 })
    await changePlan('Rate of level 2', '4')
    assert.deepEqual(await lastPlan(), { level2Bps: 400 })
    await hands.press('Suspend: Agents Weekly')
    await hands.confirm('Suspend')
    await row.getByText('Suspended').waitFor()
    await hands.press('Reinstate: Agents Weekly')
    await hands.confirm('Reinstate')
    await row.getByText('Active').waitFor()
  })

  play('a suspected commission is cleared', '/affiliates?tab=commissions', async (visitor, hands) => {
    const { page, open } = visitor
    const trial = new AffiliateTrial(console.service, admin)
    const earner = await trial.affiliate()
    await referSelf(trial, earner)
    await open('/app/admin/affiliates?tab=commissions&status=FRAUD_HOLD')
    await page
      .getByRole('row', { name: /same owner/ })
      .getByRole('button', { name: /^Clear/ })
      .click()
    await hands.confirm('Clear')
    await page.getByText('No commissions').waitFor()
    const [commission] = await trial.commissions(earner)
    assert.equal(commission?.status, 'PENDING')
  })
})

/** A deal of an affiliate that its own agent referred. */
async function referSelf(trial: AffiliateTrial, earner: Earner): Promise<void> {
  const { service } = trial
  const market = { ...(await trial.market(earner)), buyer: earner }
  const { token, walletId } = earner
  await service.http('POST', `/wallets/${walletId}/fund`, { token, body: { amount: 200 } })
  const agent = await publishAgent(service, earner)
  await trial.release(market, await trial.delivered(market, { referrerAgentId: agent.id }))
}
