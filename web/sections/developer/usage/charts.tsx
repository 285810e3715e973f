import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { money } from '../../../parts/format.ts'
import { t } from '../../../texts/text.ts'

export interface Step {
  day: string
  cost: number
  requests: number
}

const dollars = (value: number): string => money(value, 'USD')

export function CostOverTime({ steps }: { steps: Step[] }) {
  return (
    <BarChart
      h={260}
      data={steps}
      dataKey="day"
      series={[{ name: 'cost', label: t('developer.usage.cost'), color: 'green.7' }]}
      valueFormatter={dollars}
      yAxisProps={{ width: 80 }}
      role="img"
      aria-label={t('developer.usage.overTime')}
    />
  )
}

export function CostByTier({ tiers }: { tiers: { tier: string; cost: number }[] }) {
  return (
    <BarChart
      h={180}
      data={tiers}
      dataKey="tier"
      orientation="vertical"
      series={[{ name: 'cost', label: t('developer.usage.cost'), color: 'green.7' }]}
      valueFormatter={dollars}
      yAxisProps={{ width: 90 }}
      role="img"
      aria-label={t('developer.usage.byTier')}
    />
  )
}
