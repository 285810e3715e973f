import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { money } from '../../../parts/format.ts'

interface EarningsChartProps {
  rows: readonly Readonly<Record<string, string | number>>[]
  currencies: readonly string[]
  label: string
}

const COLORS: Readonly<Record<string, string>> = { USD: 'green.7', USDC: 'blue.6' }

/** Amounts by period, one bar for each currency upon the other. */
export default function EarningsChart({ rows, currencies, label }: EarningsChartProps) {
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
