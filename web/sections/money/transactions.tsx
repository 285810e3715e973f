import { Text } from '@mantine/core'
import { IconReceipt } from '@tabler/icons-react'
import type { WalletTransaction } from '../../api/schema.d.ts'
import { Empty } from '../../parts/empty.tsx'
import { money } from '../../parts/format.ts'
import { DataTable, type Column } from '../../parts/list/table.tsx'
import { When } from '../../parts/when.tsx'
import { ledgerAccountName, nameOf, t } from '../../texts/text.ts'

/** Accounts of one kind have an id in their name, which means nothing to the owner of the wallet. */
const withoutId = (name: string): string => name.replace(/ [\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/, '')

const signed = ({ direction, amount, currency }: WalletTransaction): string =>
  `${direction === 'IN' ? '+' : '−'}${money(amount, currency)}`

/** What comes in by `fund` and leaves with it at once went into an escrow: a card paid a deal. */
const kindOf = ({ type, direction }: WalletTransaction): string =>
  type === 'fund' && direction === 'OUT' ? 'ap2.hold' : type

const COLUMNS: readonly Column<WalletTransaction>[] = [
  { title: t('money.column.when'), render: ({ createdAt }) => <When at={createdAt} /> },
  {
    title: t('money.column.what'),
    render: transaction => {
      const { memo, test } = transaction
      return (
        <>
          {nameOf(kindOf(transaction))}
          {test && ` (${t('money.testMark')})`}
          {memo && (
            <Text size="sm" c="dimmed" lineClamp={2}>
              {memo}
            </Text>
          )}
        </>
      )
    },
  },
  {
    title: t('money.column.counterpart'),
    render: ({ counterpart }) => ledgerAccountName(withoutId(counterpart)),
  },
  {
    title: t('money.column.amount'),
    align: 'right',
    render: transaction => (
      <Text span fw={600} style={{ whiteSpace: 'nowrap' }}>
        {signed(transaction)}
      </Text>
    ),
  },
  {
    title: t('money.column.balance'),
    align: 'right',
    render: ({ balanceAfter, currency }) => (balanceAfter === null ? '' : money(balanceAfter, currency)),
  },
]

/** What went in and out of a wallet, the latest first. */
export function TransactionTable({ transactions }: { transactions: readonly WalletTransaction[] }) {
  if (!transactions.length)
    return <Empty icon={IconReceipt} title={t('money.empty.title')} text={t('money.empty.text')} />
  return (
    <DataTable
      caption={t('money.statement')}
      columns={COLUMNS}
      rows={transactions}
      idOf={({ id, direction, test }) => `${id} ${direction} ${String(test)}`}
    />
  )
}
