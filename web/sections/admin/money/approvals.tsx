import { Group, Stack, Text, TextInput } from '@mantine/core'
import { IconChecks } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import type { Approval } from '../../../api/schema.d.ts'
import { money } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Page } from '../../../parts/page.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Filter } from '../parts/filter.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { MaybePerson, useNames, type Names } from '../parts/people.tsx'
import { APPROVAL_STATES } from '../states.ts'

const route = getRouteApi('/public/private/app/admin/approvals')

/** What one admin requested and another one decides. */
export function Approvals() {
  const { offset = 0, status = 'PENDING' } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/approvals' })
  const read = $api.useQuery('get', '/admin/approvals', {
    params: { query: { status, offset, limit: PAGE_SIZE } },
  })
  const names = useNames(
    (read.data?.items ?? []).flatMap(({ requestedBy, decidedBy, payload }) => [
      requestedBy,
      decidedBy,
      payload.accountId,
    ]),
  )
  return (
    <Page title={t('admin.approvals.title')} description={t('admin.approvals.text')}>
      <Filter
        label={t('admin.state')}
        value={status}
        values={APPROVAL_STATES}
        all={false}
        onChange={next => void navigate({ search: { status: next } })}
      />
      <ListView
        read={read}
        caption={t('admin.approvals.title')}
        idOf={({ id }) => id}
        empty={{ icon: IconChecks, title: t('admin.approvals.empty'), text: t('admin.approvals.empty.text') }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { status, offset: next }, replace }),
        }}
        columns={[
          { title: t('admin.what'), render: approval => <What approval={approval} names={names} /> },
          {
            title: t('admin.amount'),
            align: 'right',
            render: ({ payload }) => (payload.amount ? money(payload.amount, payload.currency) : '–'),
          },
          {
            title: t('admin.requestedBy'),
            render: ({ requestedBy }) => <MaybePerson id={requestedBy} names={names} />,
          },
          { title: t('admin.state'), render: approval => <Status value={approval.status} /> },
          { title: t('admin.time'), render: ({ createdAt }) => <When at={createdAt} /> },
          { title: t('admin.actions'), isActions: true, render: approval => <Decide approval={approval} /> },
        ]}
      />
    </Page>
  )
}

function What({ approval: { kind, payload, reason }, names }: { approval: Approval; names: Names }) {
  const why = payload.reason ?? reason
  const { from, to } = walletsOf(kind, payload)
  return (
    <Stack gap={2}>
      <Text size="sm" fw={600}>
        {nameOf(kind)}
      </Text>
      {payload.accountId && <MaybePerson id={payload.accountId} names={names} />}
      {from && <Wallet title={t('admin.from')} id={from} />}
      {to && <Wallet title={t('admin.to')} id={to} />}
      <About payload={payload} />
      {why && (
        <Text size="xs" c="dimmed">
          {why}
        </Text>
      )}
    </Stack>
  )
}

/** With a second wallet, and in a payout, `walletId` is where the money comes from. */
function walletsOf(kind: string, { fromWalletId, toWalletId, walletId }: Approval['payload']) {
  const isSource = kind === 'payouts.payout' || toWalletId !== undefined
  return {
    from: fromWalletId ?? (isSource ? walletId : undefined),
    to: toWalletId ?? (isSource || fromWalletId ? undefined : walletId),
  }
}

/** What else the one who decides compares with: a destination, a payment, an invoice, a chargeback. */
function About({ payload }: Pick<Approval, 'payload'>) {
  const { rail, destination, processorId, transferId, provider, invoice, chargebackId } = payload
  const texts = [
    rail && `${t('admin.to')}: ${nameOf(rail.toUpperCase())}${destination ? `, ${destination}` : ''}`,
    processorId && `${t('admin.processorId')}: ${processorId}`,
    transferId && `${t('admin.transferId')}: ${transferId}`,
    provider && `${provider}: ${invoice}`,
  ].filter(Boolean)
  return (
    <>
      {texts.map(text => (
        <Text key={text} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {text}
        </Text>
      ))}
      {chargebackId && (
        <TextLink to="/app/admin/chargebacks" search={{ status: 'LOST' }} size="xs">
          {t('admin.chargebacks.title')}
        </TextLink>
      )}
    </>
  )
}

const Wallet = ({ title, id }: { title: string; id: string }) => (
  <TextLink to="/app/admin/ledger/$account" params={{ account: `2010:${id}` }} size="xs">
    {`${title}: ${t('admin.wallet.wallet')} …${id.slice(-6)}`}
  </TextLink>
)

function Decide({ approval: { id, kind, status, payload, requestedBy } }: { approval: Approval }) {
  const me = useMe()
  const [totpCode, setCode] = useState('')
  const approve = $api.useMutation('post', '/admin/approvals/{id}/approve')
  const reject = $api.useMutation('post', '/admin/approvals/{id}/reject')
  if (status !== 'PENDING') return null
  const order = (reason: string) => ({
    params: { path: { id } },
    body: { ...(reason ? { reason } : {}), ...(totpCode ? { totpCode } : {}) },
  })
  const refresh = () => refreshReads('/admin/')
  const what = nameOf(kind)
  const { amount, currency } = payload
  // Only a request of the caller, which nobody else can decide, takes a code.
  const code = me?.id === requestedBy && (
    <TextInput
      label={t('field.totpCode')}
      description={t('admin.approvals.own')}
      inputMode="numeric"
      autoComplete="one-time-code"
      value={totpCode}
      onChange={event => setCode(event.currentTarget.value)}
      data-autofocus
    />
  )
  return (
    <Group gap="xs" wrap="nowrap">
      <ActionButton
        label={t('admin.approve')}
        subject={what}
        title={t('admin.approve.title', { what })}
        text={t('admin.approve.text')}
        amount={amount}
        currency={currency}
        reason="optional"
        button={{ variant: 'filled' }}
        done={t('admin.approve.done')}
        onConfirm={reason => approve.mutateAsync(order(reason)).then(refresh)}
      >
        {code}
      </ActionButton>
      <ActionButton
        label={t('admin.reject')}
        subject={what}
        title={t('admin.reject.title', { what })}
        amount={amount}
        currency={currency}
        reason="optional"
        color="red"
        done={t('admin.reject.done')}
        onConfirm={reason => reject.mutateAsync(order(reason)).then(refresh)}
      >
        {code}
      </ActionButton>
    </Group>
  )
}
