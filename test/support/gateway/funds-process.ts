import process from 'node:process'
import { createFunds } from '../../../server/modules/gateway/funds/index.ts'
import type { RoutingKey } from '../../../server/modules/gateway/core/key.ts'
import { createLog } from '../../../server/platform/adapters/log/log.ts'
import { openTestDb } from '../database/db.ts'
import { race, reserveExactly, usageRecord } from './funds.ts'

/** What a process of its own does with the funds of one key; the parent reads each line that it prints. */
export interface ProcessOrder {
  url: string
  key: RoutingKey
  endUser: string | null
  amount: string
  requests: number
  cost: string
  /** Does not end by itself: the parent kills it. */
  hangs: boolean
}

const order = JSON.parse(process.argv[2] ?? '', (name, value: unknown) =>
  name.endsWith('Usd') && typeof value === 'string' ? BigInt(value) : value,
) as ProcessOrder
const { key, endUser } = order
const { db, clock, close } = await openTestDb(order.url)
const funds = createFunds({ db, clock, log: createLog('error') })
funds.start()
process.stdout.write('ready\n')
const nextLine = () => new Promise(resolve => process.stdin.once('data', resolve))
await nextLine()
const reserve = () => reserveExactly(funds, key, BigInt(order.amount), { endUser })
const { passed, refused } = await race(Array.from({ length: order.requests }, reserve))
process.stdout.write(`passed ${passed.length} refused ${refused.filter(status => status === 402).length}\n`)
// Not before the other process has asked too: what a request does not use is free for others.
await nextLine()
for (const reservation of passed) reservation.settle(usageRecord(key, BigInt(order.cost)))
if (order.hangs) {
  await funds.flush()
  process.stdout.write('flushed\n')
  // These are answered, and not flushed when the parent reads the next line.
  const more = await reserve()
  more.settle(usageRecord(key, BigInt(order.cost)))
  await reserve()
  process.stdout.write('answered\n')
  await new Promise(() => setInterval(() => undefined, 1000))
}
await funds.stop()
await close()
process.exit(0)
