import { Group, Stack, Text } from '@mantine/core'
import { IconCreditCardRefund } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import type { Chargeback } from '../../../api/schema.d.ts'
import { money } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Page } from '../../../parts/page.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { ActionButton, thenRefresh } from '../parts/action-button.tsx'
import { Filter } from '../parts/filter.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { MaybePerson, useNames } from '../parts/people.tsx'
import { CHARGEBACK_STATES } from '../states.ts'

const route = getRouteApi('/public/private/app/admin/chargebacks')

/** Card payments that the bank of the payer takes back. */
export function Chargebacks() {
  const { offset = 0, status } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/chargebacks' })
  const read = $api.useQuery('get', '/admin/chargebacks', {
    params: { query: { status, offset, limit: PAGE_SIZE } },
  })
  const names = useNames(read.data?.items.map(({ accountId }) => accountId) ?? [])
  return (
    <Page title={t('admin.chargebacks.title')} description={t('admin.chargebacks.text')}>
      <Filter
        label={t('admin.state')}
        value={status}
        values={CHARGEBACK_STATES}
        onChange={next => void navigate({ search: { status: next } })}
      />
      <ListView
        read={read}
        caption={t('admin.chargebacks.title')}
        idOf={({ id }) => id}
        empty={{
          icon: IconCreditCardRefund,
          title: t('admin.chargebacks.empty'),
          text: t('admin.chargebacks.empty.text'),
        }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { status, offset: next }, replace }),
        }}
        columns={[
          {
            title: t('admin.what'),
            render: ({ purpose, reference, reason }) => (
              <Stack gap={0}>
                <Subject purpose={purpose} reference={reference} />
                <Text size="xs" c="dimmed">
                  {nameOf(reason.toUpperCase())}
                </Text>
              </Stack>
            ),
          },
          {
            title: t('admin.payer'),
            render: ({ accountId }) => <MaybePerson id={accountId} names={names} />,
          },
          {
            title: t('admin.amount'),
            align: 'right',
            render: ({ amount, currency }) => money(amount, currency),
          },
          {
            title: t('admin.owed'),
            align: 'right',
            render: ({ owed, currency }) => money(owed.open, currency),
          },
          { title: t('admin.state'), render: row => <Status value={row.status} /> },
          {
            title: t('admin.respondBy'),
            render: ({ respondBy, status: state }) =>
              respondBy && state === 'NEEDS_RESPONSE' ? <When at={respondBy} /> : '–',
          },
          { title: t('admin.actions'), isActions: true, render: row => <Actions row={row} /> },
        ]}
      />
    </Page>
  )
}

/** What was paid. A deal has a page of its own. */
const Subject = ({ purpose, reference }: Pick<Chargeback, 'purpose' | 'reference'>) =>
  purpose === 'ESCROW' ? (
    <TextLink to="/app/admin/escrows/$id" params={{ id: reference }} size="sm">
      {nameOf(purpose)}
    </TextLink>
  ) : (
    <Text size="sm">{nameOf(purpose)}</Text>
  )

function Actions({ row: { id, status, owed, currency, amount } }: { row: Chargeback }) {
  const submit = $api.useMutation('post', '/admin/chargebacks/{id}/evidence')
  const writeOff = $api.useMutation('post', '/admin/chargebacks/{id}/write-off')
  const params = { path: { id } }
  return (
    <Group gap="xs" wrap="nowrap">
      {status === 'NEEDS_RESPONSE' && (
        <ActionButton
          label={t('admin.evidence.submit')}
          subject={money(amount, currency)}
          title={t('admin.evidence.title')}
          text={t('admin.evidence.text')}
          reason="required"
          reasonLabel={t('admin.evidence')}
          done={t('admin.evidence.done')}
          onConfirm={text => thenRefresh(submit.mutateAsync({ params, body: { text } }))}
        />
      )}
      {Number(owed.open) > 0 && (
        <ActionButton
          label={t('admin.writeOff')}
          subject={money(owed.open, currency)}
          title={t('admin.writeOff.title')}
          text={t('admin.writeOff.text')}
          amount={owed.open}
          currency={currency}
          reason="required"
          color="red"
          done={t('admin.writeOff.done')}
          onConfirm={reason => thenRefresh(writeOff.mutateAsync({ params, body: { reason } }))}
        />
      )}
    </Group>
  )
}
