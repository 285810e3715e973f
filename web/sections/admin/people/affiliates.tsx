import { Group, NumberInput, Stack, Tabs, Text } from '@mantine/core'
import { IconAffiliate } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import type { AffiliateForAdmin } from '../../../api/schema.d.ts'
import { rate } from '../../../parts/format.ts'
import { Page } from '../../../parts/page.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Filter } from '../parts/filter.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { Person } from '../parts/people.tsx'
import { AFFILIATE_STATES } from '../states.ts'
import { Commissions } from './commissions.tsx'

const route = getRouteApi('/public/private/app/admin/affiliates')

/** Applications, plans and commissions of affiliates. */
export function Affiliates() {
  const { tab = 'affiliates' } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/affiliates' })
  return (
    <Page title={t('admin.affiliates.title')} description={t('admin.affiliates.text')}>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={value => void navigate({ search: { tab: value === 'commissions' ? value : 'affiliates' } })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="affiliates">{t('admin.affiliates.title')}</Tabs.Tab>
          <Tabs.Tab value="commissions">{t('admin.commissions.title')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="affiliates">
          <Profiles />
        </Tabs.Panel>
        <Tabs.Panel value="commissions">
          <Commissions />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}

function Profiles() {
  const { offset = 0, status } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/affiliates' })
  const state = AFFILIATE_STATES.find(each => each === status)
  const read = $api.useQuery('get', '/affiliates/admin/all', {
    params: { query: { status: state, offset, limit: PAGE_SIZE } },
  })
  return (
    <Stack>
      <Filter
        label={t('admin.state')}
        value={state}
        values={AFFILIATE_STATES}
        onChange={next => void navigate({ search: { status: next } })}
      />
      <ListView
        read={read}
        caption={t('admin.affiliates.title')}
        idOf={({ id }) => id}
        empty={{
          icon: IconAffiliate,
          title: t('admin.affiliates.empty'),
          text: t('admin.affiliates.empty.text'),
        }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { status, offset: next }, replace }),
        }}
        columns={[
          {
            title: t('admin.name'),
            render: ({ accountId, displayName, website }) => (
              <Stack gap={0}>
                <Person id={accountId} name={displayName} />
                <Text size="xs" c="dimmed">
                  {website}
                </Text>
              </Stack>
            ),
          },
          { title: t('admin.affiliates.code'), render: ({ code }) => code },
          { title: t('admin.tier'), render: ({ tier }) => nameOf(tier) },
          { title: t('admin.rate'), align: 'right', render: ({ rateBps }) => rate(rateBps) },
          { title: t('admin.state'), render: row => <Status value={row.status} /> },
          { title: t('admin.since'), render: ({ createdAt }) => <When at={createdAt} /> },
          { title: t('admin.actions'), isActions: true, render: row => <Actions affiliate={row} /> },
        ]}
      />
    </Stack>
  )
}

function Actions({ affiliate }: { affiliate: AffiliateForAdmin }) {
  const { id, accountId, status, displayName: name } = affiliate
  const me = useMe()
  const review = $api.useMutation('post', '/affiliates/admin/{id}/review')
  const suspend = $api.useMutation('post', '/affiliates/admin/{id}/suspend')
  const reactivate = $api.useMutation('post', '/affiliates/admin/{id}/reactivate')
  const params = { path: { id } }
  const refresh = () => refreshReads('/affiliates/', '/admin/')
  const decide = (decision: 'approve' | 'reject') => (reason: string) =>
    review.mutateAsync({ params, body: { decision, ...(reason ? { reason } : {}) } }).then(refresh)
  // The API refuses decisions about the caller's own profile.
  if (accountId === me?.id) return <Text size="sm">{t('admin.affiliates.own')}</Text>
  return (
    <Group gap="xs" wrap="nowrap">
      {status === 'PENDING' && (
        <>
          <ActionButton
            label={t('admin.approve')}
            subject={name}
            title={t('admin.affiliates.approve.title', { name })}
            reason="optional"
            button={{ variant: 'filled' }}
            done={t('admin.affiliates.done')}
            onConfirm={decide('approve')}
          />
          <ActionButton
            label={t('admin.reject')}
            subject={name}
            title={t('admin.affiliates.reject.title', { name })}
            reason="required"
            color="red"
            done={t('admin.affiliates.done')}
            onConfirm={decide('reject')}
          />
        </>
      )}
      {status === 'ACTIVE' && (
        <>
          <PlanEditor affiliate={affiliate} />
          <ActionButton
            label={t('admin.suspend')}
            subject={name}
            title={t('admin.suspend.title', { name })}
            text={t('admin.affiliates.suspend.text')}
            reason="optional"
            color="red"
            done={t('admin.suspend.done')}
            undo={() => reactivate.mutateAsync({ params }).then(refresh)}
            onConfirm={reason =>
              suspend.mutateAsync({ params, body: reason ? { reason } : {} }).then(refresh)
            }
          />
        </>
      )}
      {status === 'SUSPENDED' && (
        <ActionButton
          label={t('admin.reinstate')}
          subject={name}
          title={t('admin.reinstate.title', { name })}
          done={t('admin.reinstate.done')}
          onConfirm={() => reactivate.mutateAsync({ params }).then(refresh)}
        />
      )}
    </Group>
  )
}

type Plan = Pick<AffiliateForAdmin, 'rateBps' | 'level2Bps' | 'months' | 'holdDays'>

/** The fields as they are typed, rates in percent; an empty rate of level 2 is that of the tier. */
type Shown = Record<'rate' | 'level2' | 'months' | 'holdDays', string | number>

const bpsOf = (percents: string | number): number => Math.round(Number(percents) * 100)

const planOf = ({ rate, level2, months, holdDays }: Shown): Plan => ({
  rateBps: bpsOf(rate),
  level2Bps: level2 === '' ? null : bpsOf(level2),
  months: Number(months),
  holdDays: Number(holdDays),
})

function PlanEditor({ affiliate }: { affiliate: AffiliateForAdmin }) {
  const { id, displayName: name, rateBps, level2Bps, months, holdDays, customPlan } = affiliate
  // Without the edits it is what the server says now, which changes while the page is open.
  const [edits, setEdits] = useState<Partial<Shown>>({})
  const shown: Shown = {
    rate: rateBps / 100,
    level2: level2Bps === null ? '' : level2Bps / 100,
    months,
    holdDays,
    ...edits,
  }
  const plan = planOf(shown)
  // What is typed stays as it is: an empty field that became 0 would take the next digit before or after it.
  const field = (name: keyof Shown) => ({
    min: 0,
    allowNegative: false,
    value: shown[name],
    onChange: (value: string | number) => setEdits({ ...edits, [name]: value }),
  })
  const save = $api.useMutation('post', '/affiliates/admin/{id}/commission-plan')
  const send = (body: Partial<Plan> & { customPlan?: false }) =>
    save.mutateAsync({ params: { path: { id } }, body }).then(() => refreshReads('/affiliates/'))
  // Only what differs: a rate that is sent ends the rates of the tier.
  const changes = {
    ...(plan.rateBps !== rateBps && { rateBps: plan.rateBps }),
    ...(plan.level2Bps !== level2Bps && { level2Bps: plan.level2Bps }),
    ...(plan.months !== months && { months: plan.months }),
    ...(plan.holdDays !== holdDays && { holdDays: plan.holdDays }),
  }
  const rates = customPlan ? { rateBps, level2Bps } : { customPlan }
  const before = {
    ...('rateBps' in changes || 'level2Bps' in changes ? rates : {}),
    ...('months' in changes && { months }),
    ...('holdDays' in changes && { holdDays }),
  }
  return (
    <ActionButton
      label={t('admin.plan')}
      subject={name}
      title={t('admin.plan.title', { name })}
      done={t('admin.plan.done')}
      undo={() => send(before)}
      onConfirm={() => send(changes).then(() => setEdits({}))}
    >
      <NumberInput
        label={t('admin.plan.rate')}
        suffix=" %"
        max={35}
        decimalScale={2}
        {...field('rate')}
        required
        withAsterisk={false}
        data-autofocus
      />
      <NumberInput
        label={t('admin.plan.level2')}
        suffix=" %"
        max={35}
        decimalScale={2}
        {...field('level2')}
      />
      <NumberInput
        label={t('admin.plan.months')}
        allowDecimal={false}
        {...field('months')}
        required
        withAsterisk={false}
      />
      <NumberInput
        label={t('admin.plan.hold')}
        allowDecimal={false}
        {...field('holdDays')}
        required
        withAsterisk={false}
      />
    </ActionButton>
  )
}
