import assert from 'node:assert/strict'
import { before, suite } from 'node:test'
import {
  acceptedDeal,
  ChargebackTrial,
  eventually,
  must,
  openDispute,
  openMarket,
  PayoutTrial,
  processorIdOf,
  registerHuman,
  startTestService,
} from '#test'
import { openConsole } from './support/console.ts'
import { ADMIN } from './support/desk.ts'

/** Runs in the page; the tests are compiled without the types of a browser. */
const textCutOff = (element: unknown): number => {
  const { scrollWidth, clientWidth } = element as { scrollWidth: number; clientWidth: number }
  return scrollWidth - clientWidth
}

suite('what one admin requests and another one approves', () => {
  // Small amounts wait for another admin already.
  const console = openConsole(() =>
    startTestService({ ADMIN_TRANSFER_LIMIT_USD: '30', PAYOUT_REVIEW_USD: '50', PAYOUT_HOLD_MINUTES: '10' }),
  )
  let trial: ChargebackTrial
  before(async () => {
    trial = await ChargebackTrial.of(console.service)
    const { disputeId } = await trial.disputed(80, 70)
    await trial.lose(disputeId)
    const payout = new PayoutTrial(console.service, await registerHuman(console.service))
    await payout.ready(100)
    await payout.requested(60)
  })

  /** A deal that is paid by card, whose bank takes the payment back; returns its escrow. */
  async function disputedDeal(): Promise<string> {
    const market = await openMarket(console.service, { amount: 1 })
    const { id: negotiationId } = await acceptedDeal(market, { budget: 90 })
    const body = { negotiationId, rail: 'card', paymentMethodId: 'pm_card_visa' }
    const { escrowId } = await must(market, 'buyer', '/payments/ap2/initiate', body)
    const processorId = await processorIdOf(console.service, escrowId)
    const disputeId = await openDispute(console.service, trial.admin, processorId)
    const id = await trial.chargebackOf(disputeId)
    assert.equal((await trial.submit(id ?? '', 'It was delivered')).status, 200)
    return escrowId
  }

  const play = console.playAs(() => ADMIN, '/app/admin')

  play('a large write-off is said to wait, and is approved', '/chargebacks', async (visitor, hands) => {
    const { page, open, sees } = visitor
    const debt = page.getByRole('row', { name: /\$80\.00/ })
    await debt.getByRole('button', { name: /^Write off/ }).click()
    await hands.type('Reason', 'The payer does not respond')
    await hands.confirm('Write off')
    await sees('Not done yet: another admin has to approve it.')
    assert.equal(await page.getByText('Written off').count(), 0)
    await open('/app/admin/approvals')
    const request = page.getByRole('row', { name: /Write-off/ })
    await request.getByRole('link', { name: 'Chargebacks' }).waitFor()
    // The money leaves the wallet.
    const payout = page.getByRole('row', { name: /^Payout/ })
    await payout.getByRole('link', { name: /^From: Wallet/ }).waitFor()
    await payout.getByText(/^To: Processor, acct_/).waitFor()
    await request.getByRole('button', { name: /^Approve/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await sees('You cannot decide this request')
    await sees('Another admin must decide your request')
  })

  play('a chargeback leads to its deal, and needs no second response', '/chargebacks', async visitor => {
    const { page, open, heading } = visitor
    const escrowId = await disputedDeal()
    await open('/app/admin/chargebacks')
    const row = page.getByRole('row', { name: /\$90\.00/ })
    await row.getByText('At the bank').waitFor()
    await row.getByRole('cell', { name: '–', exact: true }).waitFor()
    await row.getByRole('link', { name: 'Escrow' }).click()
    await page.waitForURL(`**/app/admin/escrows/${escrowId}`)
    await heading('Release notes')
  })

  play('a period that ends before it begins is refused at its field', '/reconciliation', async visitor => {
    const { page, press, sees } = visitor
    await page.getByLabel('From').fill('2126-01-01T00:00')
    await press('Compare now')
    await sees('The beginning must be before the end.')
    await page.getByLabel('From').fill('2020-01-01T00:00')
    await press('Compare now')
    await sees('The period must not be longer than 31 days.')
  })

  console.play(
    'no state is cut off in German',
    async ({ page, open, signIn }) => {
      const payout = new PayoutTrial(console.service, await registerHuman(console.service))
      await payout.ready(40, '000111111116')
      await payout.send(await payout.requested(24))
      await console.service.advance(3 * 86_400)
      await eventually('it failed', async () => (await payout.list()).items[0]?.status === 'FAILED')
      await signIn(ADMIN)
      await open('/app/admin/payouts')
      const state = page.getByRole('table').getByText('Fehlgeschlagen', { exact: true })
      await state.waitFor()
      assert.equal(await state.evaluate(textCutOff), 0)
    },
    { locale: 'de-DE' },
  )
})
