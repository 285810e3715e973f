import { Group, Stack, Text } from '@mantine/core'
import { IconPercentage } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api, refreshReads } from '../../../api/client.ts'
import type { AffiliateCommission } from '../../../api/schema.d.ts'
import { money, rate } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Filter } from '../parts/filter.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { COMMISSION_STATES } from '../states.ts'

const route = getRouteApi('/public/private/app/admin/affiliates')

/** Commissions of all affiliates; those that are held for suspected fraud wait for a decision. */
export function Commissions() {
  const { offset = 0, status } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/affiliates' })
  const state = COMMISSION_STATES.find(each => each === status)
  const tab = 'commissions'
  const read = $api.useQuery('get', '/affiliates/admin/commissions', {
    params: { query: { status: state, offset, limit: PAGE_SIZE } },
  })
  return (
    <Stack>
      <Filter
        label={t('admin.state')}
        value={state}
        values={COMMISSION_STATES}
        onChange={next => void navigate({ search: { tab, status: next } })}
      />
      <ListView
        read={read}
        caption={t('admin.commissions.title')}
        idOf={({ id }) => id}
        empty={{
          icon: IconPercentage,
          title: t('admin.commissions.empty'),
          text: t('admin.commissions.empty.text'),
        }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { tab, status, offset: next }, replace }),
        }}
        columns={[
          {
            title: t('admin.deal'),
            render: ({ escrowId, source, fraudReason }) => (
              <Stack gap={0}>
                <TextLink to="/app/admin/escrows/$id" params={{ id: escrowId }} size="sm">
                  {nameOf(source.toUpperCase())}
                </TextLink>
                {fraudReason && (
                  <Text size="xs" c="dimmed">
                    {fraudReason}
                  </Text>
                )}
              </Stack>
            ),
          },
          { title: t('admin.rate'), align: 'right', render: ({ rateBps }) => rate(rateBps) },
          {
            title: t('admin.amount'),
            align: 'right',
            render: ({ amount, currency }) => money(amount, currency),
          },
          { title: t('admin.state'), render: row => <Status value={row.status} /> },
          { title: t('admin.time'), render: ({ createdAt }) => <When at={createdAt} /> },
          { title: t('admin.actions'), isActions: true, render: row => <Decide commission={row} /> },
        ]}
      />
    </Stack>
  )
}

function Decide({ commission: { id, status, amount, currency } }: { commission: AffiliateCommission }) {
  const clear = $api.useMutation('post', '/affiliates/admin/commissions/{id}/clear')
  const confirm = $api.useMutation('post', '/affiliates/admin/commissions/{id}/confirm-fraud')
  if (status !== 'FRAUD_HOLD') return null
  const params = { path: { id } }
  const refresh = () => refreshReads('/affiliates/', '/admin/')
  const about = { amount, currency, subject: money(amount, currency) }
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionButton
        {...about}
        label={t('admin.clear')}
        title={t('admin.clear.title')}
        text={t('admin.clear.text')}
        done={t('admin.clear.done')}
        onConfirm={() => clear.mutateAsync({ params }).then(refresh)}
      />
      <ActionButton
        {...about}
        label={t('admin.fraud')}
        title={t('admin.fraud.title')}
        text={t('admin.fraud.text')}
        color="red"
        done={t('admin.fraud.done')}
        onConfirm={() => confirm.mutateAsync({ params }).then(refresh)}
      />
    </Group>
  )
}
