import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { money } from './format.ts'

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
  return (
    <BarChart
      h={260}
      role="img"
      aria-label={label}
      data={rows.map(row => ({ ...row }))}
      dataKey="period"
      type="stacked"
      series={currencies.map(name => ({ name, color: COLORS[name] ?? 'gray.6' }))}
      valueFormatter={value => money(value)}
      withLegend={currencies.length > 1}
      barChartProps={{ accessibilityLayer: false }}
      tickLine="none"
      yAxisProps={{ width: 76 }}
    />
  )
}
