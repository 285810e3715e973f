import { BarChart } from '@mantine/charts'
import '@mantine/charts/styles.css'
import type { AffiliateDashboard } from '../../api/schema.d.ts'
import { number } from '../../parts/format.ts'
import { language, t } from '../../texts/text.ts'

export default function SeriesChart({ series }: { series: AffiliateDashboard['series'] }) {
  const format = new Intl.DateTimeFormat(language, { day: 'numeric', month: 'short', timeZone: 'UTC' })
  return (
    <BarChart
      h={240}
      data={series.map(({ day, clicks, signups }) => ({
        day: format.format(new Date(day)),
        clicks,
        signups,
      }))}
      dataKey="day"
      series={[
        { name: 'clicks', label: t('affiliate.clicks'), color: 'green.7' },
        { name: 'signups', label: t('affiliate.signups'), color: 'blue.6' },
      ]}
      withLegend
      valueFormatter={number}
      yAxisProps={{ allowDecimals: false }}
      role="img"
      aria-label={t('affiliate.visits')}
    />
  )
}
