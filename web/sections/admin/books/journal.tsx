import { Card } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import { Copy } from '../../../parts/copy.tsx'
import { amountIn, dateTime } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { ledgerAccountName, nameOf, t } from '../../../texts/text.ts'
import { Details } from '../../../parts/details.tsx'
import { Panel } from '../../../parts/panel.tsx'

const route = getRouteApi('/public/private/app/admin/ledger/journals/$id')

/** One posting with its legs. */
export function Journal() {
  const { id } = route.useParams()
  const { data, error, refetch, isPending } = $api.useQuery('get', '/admin/ledger/journals/{id}', {
    params: { path: { id } },
  })
  return (
    <Page title={data ? nameOf(data.kind) : t('admin.journal')} description={data?.memo}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data && (
        <>
          <Card withBorder>
            <Details
              rows={[
                [t('admin.time'), dateTime(data.at)],
                [t('admin.recorded'), dateTime(data.recordedAt)],
                [t('admin.sealed'), t(data.isSealed ? 'admin.yes' : 'admin.no')],
                [t('admin.postingKey'), data.key],
                ...Object.entries(data.reference).map(([name, id]) => [inWords(name), id] as const),
                ['Hash', <Copy key="hash" value={data.hash} label="Hash" />],
              ]}
            />
          </Card>
          <Panel title={t('admin.legs')}>
            <DataTable
              caption={t('admin.legs')}
              rows={data.legs}
              idOf={({ debit, credit, amount, currency }) => [debit, credit, amount, currency].join(' ')}
              columns={[
                {
                  title: t('admin.debit'),
                  render: ({ debit, debitName }) => <Account account={debit} name={debitName} />,
                },
                {
                  title: t('admin.credit'),
                  render: ({ credit, creditName }) => <Account account={credit} name={creditName} />,
                },
                {
                  title: t('admin.amount'),
                  align: 'right',
                  render: ({ amount, currency }) => amountIn(amount, currency),
                },
              ]}
            />
          </Panel>
        </>
      )}
    </Page>
  )
}

/** The name of a reference in words: `paymentId` is "Payment id". */
const inWords = (name: string): string => nameOf(name.replaceAll(/[A-Z]/g, '_$&').toUpperCase())

const Account = ({ account, name }: { account: string; name: string }) => (
  <TextLink to="/app/admin/ledger/$account" params={{ account }} size="sm">
    {`${account.slice(0, 4)} ${ledgerAccountName(name)}`}
  </TextLink>
)
