import { suite } from 'node:test'
import { accounts, freezeAccount, unfreezeAccount } from '#ledger'
import { fund, must, negotiate, registerHuman, startTestService, type Market, type Person } from '#test'
import { openConsole, type ConsoleVisitor } from './support/console.ts'
import { handsOf, WAYS, type Hands } from './support/hands.ts'

/** From the request of a payout: it may be canceled for some minutes, then the processor sends it, then it arrives. */
const ON_ITS_WAY_SECONDS = [11 * 60, 3600, 86_400]

suite('an agent is published and paid out', () => {
  // Its clock moves until the payout has arrived.
  const console = openConsole(() => startTestService({ PAYOUT_HOLD_MINUTES: '10' }))
  for (const way of WAYS) console.play(`by ${way}`, visitor => play(visitor, handsOf(visitor, way)))

  async function play(visitor: ConsoleVisitor, hands: Hands): Promise<void> {
    const owner = await console.newcomer(visitor)
    const id = await publish(visitor, hands)
    await earn(owner, id)
    await visitor.open('/app/selling/earnings')
    await visitor.sees('$80.008')
    await hands.press(visitor.page.getByRole('link', { name: 'Pay out', exact: true }))
    await visitor.page.waitForURL(`**/app/selling/payouts?agent=${id}`)
    await visitor.sees('$80.008 can be paid out')
    await visitor.page
      .getByRole('option', { name: 'Agent: Proofreader ($80.008)', selected: true })
      .waitFor({ state: 'attached' })
    await payOut(visitor, hands, { id, owner })
  }

  /** Creates the agent, submits it and has an admin approve it; returns its id. */
  async function publish({ page, open, sees, heading }: ConsoleVisitor, hands: Hands): Promise<string> {
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    await open('/app/selling/agents/new')
    await hands.type(field('Name'), 'Proofreader')
    await hands.type(field('Description'), 'Reads your text and marks mistakes.')
    await hands.type(field('Amount'), '100')
    await hands.press(button('Create the agent'))
    await heading('Proofreader is created')
    await hands.press(page.getByRole('link', { name: 'Go to the agent' }))
    await hands.press(button('Submit for review'))
    await hands.press(page.getByRole('dialog').getByRole('button', { name: 'Submit', exact: true }))
    await sees('A reviewer is looking at this agent')
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const token = await console.service.adminToken()
    const review = await console.service.http('POST', `/agents/${id}/review`, {
      token,
      body: { decision: 'APPROVED' },
    })
    if (review.status !== 201) throw new Error(review.text)
    await page.reload()
    await sees('Buyers can hire this agent')
    return id
  }

  /** A buyer hires the agent and releases 100.01 USD; the fee is 20 percent, which leaves a part of a cent. */
  async function earn(owner: Person, id: string): Promise<void> {
    const { service } = console
    const buyer = await registerHuman(service)
    await fund(service, buyer, 200)
    const agent = { id, slug: '', walletId: '', apiKey: '', owner }
    const market: Market = { service, buyer, agent, outsider: owner, admin: '' }
    const { id: negotiationId } = await negotiate(market, { budget: 100.01 })
    const sell = async (path: string, body: object) => {
      const answer = await service.http('POST', path, { token: owner.token, body })
      if (answer.status > 201) throw new Error(answer.text)
    }
    await sell('/ap2/respond', { negotiationId, status: 'ACCEPTED' })
    await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId })
    await sell('/ap2/deliver', { negotiationId, result: 'done' })
    const { escrowId } = await must(market, 'buyer', `/ap2/negotiations/${negotiationId}`)
    await must(market, 'buyer', '/payments/ap2/release', { escrowId })
  }

  /** The wallet of the agent is frozen when its payout is due, and free again afterwards. */
  async function returnByFreeze(
    { open, sees }: Pick<ConsoleVisitor, 'open' | 'sees'>,
    { id, owner: { token } }: { id: string; owner: Person },
  ): Promise<void> {
    const { service } = console
    const { db } = service.services
    const { body } = await service.http<{ id: string }>('GET', `/wallets/agent/${id}`, { token })
    const wallet = accounts.wallet(body.id)
    await db.transaction(tx => freezeAccount(tx, wallet, 'USD', 'test'))
    await service.advance(11 * 60)
    await open(`/app/wallet/${body.id}`)
    await sees('The wallet is frozen')
    await db.transaction(tx => unfreezeAccount(tx, wallet, 'USD', 'test'))
  }

  async function payOut(
    { page, open, sees }: ConsoleVisitor,
    hands: Hands,
    { id, owner }: { id: string; owner: Person },
  ): Promise<void> {
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await open(`/app/selling/payouts?agent=${id}`)
    await hands.press(button('Connect a bank account'))
    await hands.press(button('Submit'))
    await sees('Your details were submitted')
    await hands.press(page.getByRole('link', { name: 'Go back' }).first())
    await sees('$80.008 can be paid out')
    await hands.type(page.getByRole('textbox', { name: 'Amount to pay out' }), '50')
    await hands.press(button('Pay out'))
    await hands.confirm('Pay out')
    await sees('$30.008 can be paid out')
    await hands.press(button('Undo'))
    await sees('$80.008 can be paid out')
    await hands.type(page.getByRole('textbox', { name: 'Amount to pay out' }), '20')
    await hands.press(button('Pay out'))
    await hands.confirm('Pay out')
    await sees('$60.008 can be paid out')
    await returnByFreeze({ open, sees }, { id, owner })
    await open(`/app/selling/payouts?agent=${id}`)
    await sees('You canceled it; the money is in the wallet.')
    await sees('It was not sent; what is left of it is in the wallet. The wallet is frozen')
    await sees('$80.008 can be paid out')
    // Banks take whole cents.
    await hands.press(button('All of it'))
    await hands.press(button('Pay out'))
    await hands.confirm('Pay out')
    await sees('$0.008 can be paid out')
    for (const seconds of ON_ITS_WAY_SECONDS) await console.service.advance(seconds)
    await open(`/app/selling/payouts?agent=${id}`)
    await sees('Arrived.')
  }
})
