import { Card, Group, NativeSelect, Text } from '@mantine/core'
import { IconBook2 } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import { amountIn, number } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { ledgerAccountName, nameOf, t } from '../../../texts/text.ts'
import { ListView } from '../../../parts/list/list-view.tsx'
import { Panel } from '../../../parts/panel.tsx'

const route = getRouteApi('/public/private/app/admin/ledger')

/** The trial balance, and the accounts behind each of its lines. */
export function Ledger() {
  const { code, offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/ledger' })
  const trial = useTrial()
  const accounts = $api.useQuery('get', '/admin/ledger/accounts', {
    params: { query: { code, offset, limit: PAGE_SIZE } },
  })
  const codes = new Map(trial.data?.items.map(({ code: each, name }) => [each, name]))
  return (
    <Page title={t('admin.ledger.title')} description={t('admin.ledger.text')}>
      <TrialBalance trial={trial} />
      <Panel title={t('admin.ledger.accounts')}>
        <NativeSelect
          label={t('admin.code')}
          value={code ?? ''}
          data={[
            { value: '', label: t('admin.filter.all') },
            ...[...codes].map(([each, name]) => ({
              value: each,
              label: `${each} ${ledgerAccountName(name)}`,
            })),
          ]}
          onChange={event => void navigate({ search: { code: event.currentTarget.value || undefined } })}
          maw={360}
        />
        <ListView
          read={accounts}
          caption={t('admin.ledger.accounts')}
          idOf={({ account, currency }) => `${account} ${currency}`}
          empty={{ icon: IconBook2, title: t('admin.ledger.empty'), text: t('admin.ledger.empty.text') }}
          paging={{
            offset,
            onOffset: (next, replace) => void navigate({ search: { code, offset: next }, replace }),
          }}
          columns={[
            {
              title: t('admin.account'),
              render: ({ account, name }) => (
                <TextLink to="/app/admin/ledger/$account" params={{ account }} size="sm">
                  {`${account.slice(0, 4)} ${ledgerAccountName(name)}`}
                </TextLink>
              ),
            },
            {
              title: t('admin.balance'),
              align: 'right',
              render: ({ balance, currency }) => amountIn(balance, currency),
            },
            {
              title: t('admin.state'),
              render: ({ freezes }) => freezes.length > 0 && <Status value="FROZEN" />,
            },
          ]}
        />
      </Panel>
    </Page>
  )
}

function TrialBalance({ trial }: { trial: ReturnType<typeof useTrial> }) {
  const { data, error, refetch, isPending } = trial
  return (
    <Panel title={t('admin.trial')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data && (
        <>
          <Group>
            {data.totals.map(({ currency, debit, balanced }) => (
              <Card key={currency} withBorder padding="sm">
                <Text size="sm" c="dimmed">
                  {t('admin.trial.total', { currency })}
                </Text>
                <Group gap="xs">
                  <Text fw={600}>{amountIn(debit, currency)}</Text>
                  <Status value={balanced ? 'BALANCED' : 'NOT_BALANCED'} />
                </Group>
              </Card>
            ))}
          </Group>
          <DataTable
            caption={t('admin.trial')}
            rows={data.items}
            idOf={({ code, currency }) => `${code} ${currency}`}
            columns={[
              {
                title: t('admin.account'),
                render: ({ code, name }) => (
                  <TextLink to="/app/admin/ledger" search={{ code }} size="sm">
                    {`${code} ${ledgerAccountName(name)}`}
                  </TextLink>
                ),
              },
              { title: t('admin.kind'), render: ({ kind }) => nameOf(kind.toUpperCase()) },
              { title: t('admin.count'), align: 'right', render: ({ accounts }) => number(accounts) },
              {
                title: t('admin.debit'),
                align: 'right',
                render: ({ debit, currency }) => cell(debit, currency),
              },
              {
                title: t('admin.credit'),
                align: 'right',
                render: ({ credit, currency }) => cell(credit, currency),
              },
            ]}
          />
        </>
      )}
    </Panel>
  )
}

const useTrial = () => $api.useQuery('get', '/admin/trial-balance')
const cell = (amount: string, currency: string): string => (Number(amount) ? amountIn(amount, currency) : '')
