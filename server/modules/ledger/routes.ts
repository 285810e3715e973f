import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import { Currency, Moment, Money } from '#platform/http/schema'
import { formatMoney } from '#platform/money'
import type { Services } from '#platform/services'
import { trialBalance } from './statement.ts'

const TrialRow = Type.Object({
  code: Type.String({ description: 'Account code of the chart', examples: ['2010'] }),
  name: Type.String({ examples: ['wallet'] }),
  kind: Type.Union([Type.Literal('asset'), Type.Literal('liability'), Type.Literal('revenue'), Type.Literal('expense')]),
  currency: Currency,
  accounts: Type.Integer({ description: 'How many accounts have this code' }),
  debit: Money,
  credit: Money,
})
const TrialBalance = Type.Object({
  asOf: Moment,
  items: Type.Array(TrialRow),
  totals: Type.Array(Type.Object({ currency: Currency, debit: Money, credit: Money, balanced: Type.Boolean() })),
})

export function ledgerRoutes(app: App, { db, clock }: Services): void {
  route(app, {
    method: 'GET', url: '/admin/trial-balance', id: 'getTrialBalance', tag: 'Admin', summary: 'Read the balance of every account code, by currency', auth: 'admin',
    description: 'From the stored balances, at one moment. In each currency debits equal credits.', reply: { 200: TrialBalance },
    handle: async () => {
      const rows = await trialBalance(db)
      const columns = (balance: bigint) => ({ debit: balance < 0n ? -balance : 0n, credit: balance > 0n ? balance : 0n })
      const totals = [...new Set(rows.map(row => row.asset))].map(currency => {
        const own = rows.filter(row => row.asset === currency).map(row => columns(row.balance))
        const [debit, credit] = [own.reduce((sum, row) => sum + row.debit, 0n), own.reduce((sum, row) => sum + row.credit, 0n)]
        return { currency, debit: formatMoney(debit), credit: formatMoney(credit), balanced: debit === credit }
      })
      return {
        asOf: clock.now().toISOString(), totals,
        items: rows.map(({ code, name, kind, asset: currency, accounts, balance }) => {
          const { debit, credit } = columns(balance)
          return { code, name, kind, currency, accounts, debit: formatMoney(debit), credit: formatMoney(credit) }
        }),
      }
    },
  })
}
