import { Card, Group, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { $api, refreshReads } from '../../../api/client.ts'
import type { AdminEscrow, DealEvent, Escrow } from '../../../api/schema.d.ts'
import { Copy } from '../../../parts/copy.tsx'
import { money } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { reasonOf } from '../../deals/timeline.tsx'
import { ActionButton } from '../parts/action-button.tsx'
import { Details } from '../../../parts/details.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { Evidence } from './evidence.tsx'
import { Party } from './escrow-table.tsx'
import { Resolve } from './resolve.tsx'

const route = getRouteApi('/public/private/app/admin/escrows/$id')

/** One escrow with the evidence of both sides, and the decision. */
export function EscrowPage() {
  const { id } = route.useParams()
  const {
    data: escrow,
    error,
    refetch,
    isPending,
  } = $api.useQuery('get', '/payments/escrow/{id}', {
    params: { path: { id } },
  })
  const { data: found } = $api.useQuery('get', '/admin/escrows', { params: { query: { id } } })
  const summary = found?.items[0]
  const isOpen = escrow?.status === 'DISPUTED' || escrow?.status === 'FROZEN'
  return (
    <Page
      title={summary?.requestedService ?? t('admin.escrow.title')}
      actions={escrow?.status === 'FROZEN' && <Unfreeze id={id} />}
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {escrow && (
        <>
          <EscrowDetails escrow={escrow} summary={summary} />
          <Evidence escrow={escrow} />
          {isOpen && <Resolve escrow={escrow} />}
          <Timeline escrow={escrow} />
        </>
      )}
    </Page>
  )
}

function EscrowDetails({ escrow, summary }: { escrow: Escrow; summary: AdminEscrow | undefined }) {
  const { currency } = escrow
  return (
    <Card withBorder>
      <Details
        rows={[
          [t('admin.state'), <Status key="state" value={escrow.status} />],
          [t('admin.buyer'), summary && <Party key="buyer" party={summary.buyer} />],
          [t('admin.seller'), summary && <Party key="seller" party={summary.seller} />],
          [t('admin.amount'), money(escrow.amount, currency)],
          [t('admin.held'), money(escrow.held, currency)],
          [t('admin.released'), money(escrow.released, currency)],
          [t('admin.refunded'), money(escrow.refunded, currency)],
          [t('admin.delivery'), nameOf(escrow.deliveryStatus)],
          ...(escrow.freezes.length
            ? [[t('admin.freezes'), escrow.freezes.map(freezeName).join(', ')] as const]
            : []),
          [
            t('admin.books'),
            <TextLink
              key="books"
              to="/app/admin/ledger/$account"
              params={{ account: `2020:${escrow.id}` }}
              size="sm"
            >
              {t('admin.entries')}
            </TextLink>,
          ],
          ['Id', <Copy key="id" value={escrow.id} label="Id" />],
        ]}
      />
    </Card>
  )
}

/** The kind of a freeze; the id of its object follows a colon. */
const freezeName = (freeze: string): string => nameOf((freeze.split(':')[0] ?? freeze).toUpperCase())

function Unfreeze({ id }: { id: string }) {
  const unfreeze = $api.useMutation('post', '/payments/escrow/{id}/unfreeze')
  return (
    <ActionButton
      label={t('admin.unfreeze')}
      title={t('admin.unfreeze.title')}
      text={t('admin.unfreeze.text')}
      reason="optional"
      done={t('admin.unfreeze.done')}
      onConfirm={reason =>
        unfreeze
          .mutateAsync({ params: { path: { id } }, body: reason ? { reason } : {} })
          .then(() => refreshReads('/payments/escrow', '/admin/'))
      }
    />
  )
}

function Timeline({ escrow }: { escrow: Escrow }) {
  return (
    <Panel title={t('admin.timeline')}>
      <Stack gap={4} component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
        {escrow.timeline.map((event, index, events) => (
          <Event
            key={`${event.at} ${event.subject} ${event.event}`}
            event={event}
            previous={events[index - 1]}
          />
        ))}
      </Stack>
    </Panel>
  )
}

/** One line, and below it the reason that somebody gave, such as the statement of a decision. */
function Event({ event: recorded, previous }: { event: DealEvent; previous: DealEvent | undefined }) {
  const { at, subject, event, to, actor } = recorded
  // A decision ends the escrow and the negotiation with the same reason.
  const reason = previous && reasonOf(previous) === reasonOf(recorded) ? undefined : reasonOf(recorded)
  return (
    <li>
      <Group gap="xs">
        <When at={at} size="sm" c="dimmed" />
        <Text size="sm">
          {nameOf(subject.toUpperCase())}: {nameOf(event.toUpperCase())} → {nameOf(to)} (
          {nameOf(actor.toUpperCase())})
        </Text>
      </Group>
      {reason && (
        <Text size="sm" c="dimmed" className="text-as-written">
          {reason}
        </Text>
      )}
    </li>
  )
}
