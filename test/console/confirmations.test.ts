import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import type { Request } from 'playwright-core'
import { openMarket, startTestService, type Market } from '#test'
import { openConsole } from './support/console.ts'
import { handsOf } from './support/hands.ts'
import type { MoneyAction } from './support/money/action.ts'
import { DEALS, PLANS, RUNS, WALLETS } from './support/money/buyer.ts'
import { OPERATORS } from './support/money/operator.ts'
import { EARNINGS } from './support/money/seller.ts'
import { NO_MONEY, WITHOUT_AMOUNT, writesOfConsole } from './support/money/writes.ts'

const GROUPS: Readonly<Record<string, readonly MoneyAction[]>> = {
  'deals and hires': DEALS,
  'runs of agents': RUNS,
  'wallets, vouchers and balances': WALLETS,
  plans: PLANS,
  earnings: EARNINGS,
  'the desk of an operator': OPERATORS,
}
const ACTIONS = Object.values(GROUPS).flat()

/** Whether a request is one of `POST /wallets/{id}/fund`. */
function isOf(operation: string): (request: Request) => boolean {
  const [method = '', path = ''] = operation.split(' ')
  const pattern = new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  return request => request.method() === method && pattern.test(new URL(request.url()).pathname)
}

suite('money moves after a confirmation with its amount', () => {
  const console = openConsole(() =>
    startTestService({
      SVC_CHAIN: 'local',
      CHAIN_CONFIRMATIONS: '2',
      X402_WEBHOOK_SECRET: 'a chain webhook secret of this test run',
      PAYOUT_HOLD_MINUTES: '10',
    }),
  )
  let market: Market
  before(async () => {
    market = await openMarket(console.service, { amount: 5000, card: true })
  })

  for (const [group, actions] of Object.entries(GROUPS))
    suite(group, () => {
      for (const { operation, title, amount, prepare, ask, confirm, isPage } of actions)
        console.play(`${title} (${operation})`, async visitor => {
          const { page } = visitor
          const { as, path } = await prepare({ service: console.service, market })
          await visitor.signIn(as)
          await visitor.open(path)
          const isMoving = isOf(operation)
          const sent: string[] = []
          page.on('request', request => {
            if (isMoving(request)) sent.push(request.url())
          })
          await ask(handsOf(visitor, 'mouse'), page)
          const place = page.getByRole(isPage ? 'main' : 'dialog').filter({ visible: true })
          await place.getByText(amount).first().waitFor()
          assert.deepEqual(sent, [], 'nothing was sent before the confirmation')
          const [response] = await Promise.all([
            page.waitForResponse(answer => isMoving(answer.request())),
            place.getByRole('button', { name: confirm, exact: true }).click(),
          ])
          assert.ok(response.status() < 300, `${operation} answered ${response.status()}`)
        })
    })

  test('every write of the console is in a table', () => {
    const listed = [...ACTIONS.map(({ operation }) => operation), ...Object.keys(WITHOUT_AMOUNT), ...NO_MONEY]
    assert.deepEqual([...writesOfConsole()].sort(), [...new Set(listed)].sort())
  })
})
