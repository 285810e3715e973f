import { Type, type Static } from '#platform/http/type'
import { query, type App } from '#platform/http/operations'
import { Currency, Moment, Money } from '#platform/http/schema'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { trialBalance } from './statement.ts'

const TrialRow = Type.Object({
  code: Type.String({ description: 'Account code of the chart', examples: ['2010'] }),
  name: Type.String({ examples: ['wallet'] }),
  kind: Type.Union([
    Type.Literal('asset'),
    Type.Literal('liability'),
    Type.Literal('revenue'),
    Type.Literal('expense'),
  ]),
  currency: Currency,
  accounts: Type.Integer({ description: 'How many accounts have this code' }),
  debit: Money,
  credit: Money,
})
const TrialBalance = Type.Object({
  asOf: Moment,
  items: Type.Array(TrialRow),
  totals: Type.Array(
    Type.Object({ currency: Currency, debit: Money, credit: Money, balanced: Type.Boolean() }),
  ),
})

export function ledgerRoutes(app: App, { clock }: Services): void {
  query(app, {
    method: 'GET',
    url: '/admin/trial-balance',
    id: 'getTrialBalance',
    tag: 'Admin',
    summary: 'Get the trial balance by account code and currency',
    access: { accept: ['jwt'], role: 'ADMIN' },
    description: 'Computed from the stored balances in one snapshot. Debits equal credits in each currency.',
    success: [200, TrialBalance],
    run: async q => balanceView(await trialBalance(q), clock.now()),
  })
}

type Row = Awaited<ReturnType<typeof trialBalance>>[number]

function balanceView(rows: readonly Row[], asOf: Date): Static<typeof TrialBalance> {
  const totals = [...new Set(rows.map(row => row.asset))].map(currency => {
    const columns = rows.filter(row => row.asset === currency).map(row => columnsOf(row.balance))
    const debit = columns.reduce((sum, column) => sum + column.debit, 0n)
    const credit = columns.reduce((sum, column) => sum + column.credit, 0n)
    return { currency, debit: formatMoney(debit), credit: formatMoney(credit), balanced: debit === credit }
  })
  const items = rows.map(({ asset: currency, balance, ...account }) => {
    const { debit, credit } = columnsOf(balance)
    return { ...account, currency, debit: formatMoney(debit), credit: formatMoney(credit) }
  })
  return { asOf: asOf.toISOString(), totals, items }
}

const columnsOf = (balance: bigint) => ({
  debit: balance < 0n ? -balance : 0n,
  credit: balance > 0n ? balance : 0n,
})
