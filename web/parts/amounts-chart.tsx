import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { amountOf, money } from './format.ts'

interface AmountsChartProps {
  /** One for each period, with one field for each currency. */
  rows: readonly AmountsRow[]
  currencies: readonly string[]
  label: string
}

export type AmountsRow = Readonly<{ period: string } & Record<string, string | number>>

const COLORS: Readonly<Record<string, string>> = { USD: 'green.7', USDC: 'blue.6' }

/** Amounts by period, one bar for each currency upon the other. Charts are large: load it with the first one. */
export default function AmountsChart({ rows, currencies, label }: AmountsChartProps) {
  // A token on a chain is not a dollar: with both of them, the legend alone names the currencies.
  const [currency, other] = currencies
  return (
    <BarChart
      h={260}
      role="img"
      aria-label={label}
      data={rows.map(row => ({ ...row }))}
      dataKey="period"
      type="stacked"
      series={currencies.map(name => ({ name, color: COLORS[name] ?? 'gray.6' }))}
      valueFormatter={value => (other === undefined ? money(value, currency) : amountOf(value))}
      withLegend={currencies.length > 1}
      barChartProps={{ accessibilityLayer: false }}
      tickLine="none"
      yAxisProps={{ width: 76 }}
    />
  )
}
