import { AreaChart, BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { Card, Group, SimpleGrid, Text } from '@mantine/core'
import type { AdminOverview } from '../../../api/schema.d.ts'
import { date, money, number } from '../../../parts/format.ts'
import { t } from '../../../texts/text.ts'

type Days = AdminOverview['days']
const HEIGHT = 160

/** Deals, volume, fees and sign-ups by day. */
export default function Charts({ days }: { days: Days }) {
  const rows = days.map(({ day, deals, volume, fees, signUps }) => ({
    day: date(`${day}T12:00:00.000Z`),
    deals,
    volume: Number(volume),
    fees: Number(fees),
    signUps,
  }))
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }}>
      <Chart kind="bars" title={t('admin.chart.deals')} name="deals" rows={rows} format={number} />
      <Chart
        kind="area"
        title={t('admin.chart.volume')}
        name="volume"
        rows={rows}
        format={value => money(value)}
      />
      <Chart
        kind="area"
        title={t('admin.chart.fees')}
        name="fees"
        rows={rows}
        format={value => money(value)}
      />
      <Chart kind="bars" title={t('admin.chart.signUps')} name="signUps" rows={rows} format={number} />
    </SimpleGrid>
  )
}

type Name = 'deals' | 'volume' | 'fees' | 'signUps'
interface ChartProps {
  kind: 'bars' | 'area'
  title: string
  name: Name
  rows: (Record<Name, number> & { day: string })[]
  format(value: number): string
}

function Chart({ kind, title, name, rows, format }: ChartProps) {
  const total = format(rows.reduce((sum, row) => sum + row[name], 0))
  const common = {
    h: HEIGHT,
    data: rows,
    dataKey: 'day',
    series: [{ name, label: title, color: 'green.7' }],
    valueFormatter: format,
    withYAxis: false,
    gridAxis: 'none' as const,
    xAxisProps: { interval: 'preserveStartEnd' as const, minTickGap: 40 },
  }
  // The figures are read out as one sentence; the drawing itself has no controls.
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" mb="xs">
        <Text size="sm" c="dimmed">
          {title}
        </Text>
        <Text fw={700}>{total}</Text>
      </Group>
      <div role="img" aria-label={t('admin.chart.label', { title, total })}>
        {kind === 'bars' ? (
          <BarChart {...common} barChartProps={{ accessibilityLayer: false }} />
        ) : (
          <AreaChart
            {...common}
            curveType="monotone"
            withDots={false}
            areaChartProps={{ accessibilityLayer: false }}
          />
        )}
      </div>
    </Card>
  )
}
