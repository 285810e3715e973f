import { Stack, Text } from '@mantine/core'
import type { AffiliateCommission } from '../../api/schema.d.ts'
import { date, money, rate } from '../../parts/format.ts'
import { Status } from '../../parts/status.tsx'
import { DataTable } from '../../parts/list/table.tsx'
import { When } from '../../parts/when.tsx'
import { t } from '../../texts/text.ts'

export function CommissionTable({ commissions }: { commissions: readonly AffiliateCommission[] }) {
  return (
    <DataTable
      caption={t('affiliate.commissions')}
      rows={commissions}
      idOf={({ id }) => id}
      columns={[
        { title: t('affiliate.column.time'), render: ({ createdAt }) => <When at={createdAt} /> },
        {
          title: t('affiliate.column.for'),
          render: ({ source, level }) =>
            `${t(`affiliate.source.${source}`)}${level > 1 ? ` (${t('affiliate.level2')})` : ''}`,
        },
        {
          title: t('affiliate.plan.rate'),
          align: 'right',
          render: ({ rateBps }) => rate(rateBps),
        },
        {
          title: t('field.amount'),
          align: 'right',
          render: ({ amount, currency }) => money(amount, currency),
        },
        { title: t('affiliate.column.state'), render: commission => <State commission={commission} /> },
      ]}
    />
  )
}

function State({ commission }: { commission: AffiliateCommission }) {
  const { status, availableAt, clawedBack, currency, fraudReason } = commission
  return (
    <Stack gap={2} align="flex-start">
      <Status value={status} label={t(`affiliate.status.${status}`)} />
      {status === 'PENDING' && availableAt && (
        <Text size="xs" c="dimmed">
          {t('affiliate.availableOn', { date: date(availableAt) })}
        </Text>
      )}
      {Number(clawedBack) > 0 && (
        <Text size="xs" c="dimmed">
          {t('affiliate.takenBack', { amount: money(clawedBack, currency) })}
        </Text>
      )}
      {status === 'FRAUD_HOLD' && fraudReason && (
        <Text size="xs" c="dimmed">
          {fraudReason}
        </Text>
      )}
    </Stack>
  )
}
