import { naming } from '../bodies.ts'
import { all, one, type Row } from '../row.ts'
import * as at from '../targets.ts'

/** Nobody has money in this wallet, nor a routing balance: server/modules/gateway/funds/balance/wallet.test.ts has. */
export const funds: Row[] = [
  all('GET /v1/wallet/balance', 'jwt'),
  all('GET /v1/auth/keys/wallet/balance', 'jwt'),
  one('POST /v1/wallet/topup', 'jwt', at.emptyWallet, {
    own: 400,
    ...naming('sourceWalletId', { amount: 1 }),
    settable: ['sourceWalletId'],
  }),
  one('POST /v1/wallet/withdraw', 'jwt', at.emptyWallet, {
    own: 400,
    ...naming('targetWalletId', { amount: 1 }),
  }),
  all('GET /v1/generations/{id}', 'routing', 404),
]
