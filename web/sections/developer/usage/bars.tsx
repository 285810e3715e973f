import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'

interface BarsProps {
  bars: readonly { name: string; value: number }[]
  /** What the whole chart shows. */
  label: string
  /** What a value is. */
  unit: string
  format(value: number): string
  /** There is nothing between two values. */
  isCount?: boolean
  /** Names at the left: for a few long ones. */
  isHorizontal?: boolean
}

/** One value for each name. */
export default function Bars({
  bars,
  label,
  unit,
  format,
  isCount = false,
  isHorizontal = false,
}: BarsProps) {
  return (
    <BarChart
      h={isHorizontal ? 180 : 260}
      data={[...bars]}
      dataKey="name"
      orientation={isHorizontal ? 'vertical' : 'horizontal'}
      series={[{ name: 'value', label: unit, color: 'green.7' }]}
      valueFormatter={format}
      yAxisProps={{ width: isHorizontal ? 120 : 80, allowDecimals: !isCount }}
      role="img"
      aria-label={label}
    />
  )
}
