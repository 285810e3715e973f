import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import { money } from '../../parts/format.ts'
import { t } from '../../texts/text.ts'
import type { Month } from './spend.tsx'

export default function MonthChart({ months }: { months: Month[] }) {
  return (
    <BarChart
      h={280}
      data={months}
      dataKey="month"
      series={[{ name: 'spent', label: t('money.spend.spent'), color: 'green.7' }]}
      valueFormatter={value => money(value)}
      role="img"
      aria-label={t('money.spend')}
    />
  )
}
