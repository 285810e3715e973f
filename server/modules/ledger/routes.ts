import { Type, type Static } from '#platform/http/type'
import { query, type App } from '#platform/http/operations'
import { Currency, Moment, Money } from '#platform/http/schema'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { trialBalance } from './statement.ts'

const TrialRow = Type.Object({
  code: Type.String({ description: 'Account code of the chart', examples: ['2010'], pattern: '^[0-9]{4}$' }),
  name: Type.String({ maxLength: 200, examples: ['wallet'], description: 'Name of the code in the chart' }),
  kind: Type.Union(
    [Type.Literal('asset'), Type.Literal('liability'), Type.Literal('revenue'), Type.Literal('expense')],
    { description: 'Kind of the account; assets and expenses have debit balances' },
  ),
  currency: Currency,
  accounts: Type.Integer({ description: 'How many accounts have this code', minimum: 1 }),
  debit: { ...Money, description: 'Balance in `currency` if it is a debit balance; 0.00 otherwise' },
  credit: { ...Money, description: 'Balance in `currency` if it is a credit balance; 0.00 otherwise' },
})
const TrialBalance = Type.Object({
  asOf: { ...Moment, description: 'When the balances were read' },
  items: Type.Array(TrialRow, { description: 'One row for each code and currency' }),
  totals: Type.Array(
    Type.Object({
      currency: Currency,
      debit: { ...Money, description: 'Sum of the debit balances' },
      credit: { ...Money, description: 'Sum of the credit balances' },
      balanced: Type.Boolean({ description: 'Whether debits equal credits' }),
    }),
    { description: 'Sums by currency' },
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
