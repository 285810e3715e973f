import { naming } from '../bodies.ts'
import { all, one, type Row } from '../row.ts'
import { usageRecord, writeUsage } from '../../../support/gateway/usage.ts'
import type { Prepare } from '../targets.ts'
import * as at from '../targets.ts'

/** Free, so that it needs no postings. */
const generation: Prepare = async ({ service }, { id: accountId }) => {
  const record = usageRecord({ accountId, costNano: 0, cost: 0n, fee: 0n })
  await writeUsage(service, [record])
  return { ids: [record.id] }
}

/** The wallet is empty; the routing balance is the test credit of the first key. */
export const funds: Row[] = [
  all('GET /v1/wallet/balance', 'jwt'),
  all('GET /v1/auth/keys/wallet/balance', 'jwt'),
  one('POST /v1/wallet/topup', 'jwt', at.emptyWallet, {
    own: 400,
    ...naming('sourceWalletId', { amount: 1 }),
    settable: ['sourceWalletId'],
  }),
  one('POST /v1/wallet/withdraw', 'jwt', at.emptyWallet, {
    ...naming('targetWalletId', { amount: 0.01 }),
  }),
  one('GET /v1/generations/{id}', 'routing', generation, { others: 404 }),
]
