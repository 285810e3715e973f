import { Text } from '@mantine/core'
import type { Execution } from '../../../api/schema.d.ts'
import { money, number } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import type { Column } from '../../../parts/list/table.tsx'
import { When } from '../../../parts/when.tsx'
import { t } from '../../../texts/text.ts'

/** How long a run took, from its creation to its end. */
export const durationOf = ({ createdAt, endedAt }: Pick<Execution, 'createdAt' | 'endedAt'>): string =>
  endedAt
    ? t('selling.seconds', { seconds: number((Date.parse(endedAt) - Date.parse(createdAt)) / 1000) })
    : t('selling.none')

/** Where the money of a run is; "free" also names a plan, which is not translated. */
export const RunPayment = ({ payment }: Pick<Execution, 'payment'>) => (
  <Status value={payment} label={payment === 'FREE' ? t('price.free') : undefined} />
)

/** What lists of runs show of each, beside its name. */
export const RUN_COLUMNS: readonly Column<Execution>[] = [
  { title: t('selling.column.status'), render: ({ status }) => <Status value={status} /> },
  { title: t('selling.column.duration'), render: durationOf },
  {
    title: t('selling.column.problem'),
    render: ({ error }) =>
      error ? (
        <Text size="sm" lineClamp={2}>
          {error.message ?? error.code}
        </Text>
      ) : (
        t('selling.none')
      ),
  },
  { title: t('selling.column.payment'), render: ({ payment }) => <RunPayment payment={payment} /> },
  { title: t('selling.column.begun'), render: ({ createdAt }) => <When at={createdAt} /> },
  {
    title: t('selling.column.amount'),
    align: 'right',
    render: ({ price, currency }) => money(price, currency),
  },
]
