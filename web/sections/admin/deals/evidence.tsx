import { Anchor, Button, Card, Code, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import type { DeliverySummary, Dispute, Escrow } from '../../../api/schema.d.ts'
import { rate } from '../../../parts/format.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { Panel } from '../../../parts/panel.tsx'

/** What both sides say and what was delivered. */
export function Evidence({ escrow }: { escrow: Escrow }) {
  const { dispute, deliveries } = escrow
  return (
    <>
      {dispute && <Sides dispute={dispute} />}
      <Panel title={t('admin.deliveries')}>
        {deliveries.length === 0 && (
          <Text size="sm" c="dimmed">
            {t('admin.deliveries.none')}
          </Text>
        )}
        {deliveries.map(delivery => (
          <Delivery key={delivery.id} delivery={delivery} />
        ))}
      </Panel>
    </>
  )
}

function Sides({ dispute }: { dispute: NonNullable<Dispute> }) {
  const { openedBy, asks, sellerBps, reason, evidence, openedAt, answer, answeredAt, answerBy } = dispute
  const other = openedBy === 'buyer' ? 'seller' : 'buyer'
  return (
    <Panel title={t('admin.evidence')}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Card withBorder>
          <Stack gap="xs">
            <Group justify="space-between">
              <Title order={3} size="h5">
                {t(`admin.side.${openedBy}`)}
              </Title>
              <When at={openedAt} size="sm" c="dimmed" />
            </Group>
            <Text size="sm" className="text-as-written">
              {reason}
            </Text>
            <Text size="sm" c="dimmed">
              {t('admin.asks', { outcome: nameOf(asks) })}
              {sellerBps !== null && ` (${t('deal.dispute.forSeller', { share: rate(sellerBps) })})`}
            </Text>
            <Content value={evidence} label={t('admin.evidence')} />
          </Stack>
        </Card>
        <Card withBorder>
          <Stack gap="xs">
            <Group justify="space-between">
              <Title order={3} size="h5">
                {t(`admin.side.${other}`)}
              </Title>
              {answeredAt && <When at={answeredAt} size="sm" c="dimmed" />}
            </Group>
            <Text size="sm" c={answer ? undefined : 'dimmed'} className="text-as-written">
              {answer ?? t('admin.noAnswer')}
            </Text>
            {!answer && answerBy && (
              <Text size="sm" c="dimmed">
                {t('admin.answerBy')} <When at={answerBy} />
              </Text>
            )}
          </Stack>
        </Card>
      </SimpleGrid>
    </Panel>
  )
}

/** Any JSON, as text. */
function Content({ value, label }: { value: unknown; label: string }) {
  if (value === null || value === undefined) return null
  return (
    <Code block tabIndex={0} aria-label={label} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </Code>
  )
}

function Delivery({ delivery }: { delivery: DeliverySummary }) {
  const { id, escrowId, attempt, status, deliverableUrl, screenshotUrl, createdAt } = delivery
  const [isOpen, setOpen] = useState(false)
  const { data, error } = $api.useQuery(
    'get',
    '/payments/escrow/{id}/deliveries/{deliveryId}',
    { params: { path: { id: escrowId, deliveryId: id } } },
    { enabled: isOpen },
  )
  return (
    <Card withBorder padding="sm">
      <Stack gap="xs">
        <Group justify="space-between">
          <Group gap="xs">
            <Text fw={600} size="sm">
              {t('admin.attempt', { attempt })}
            </Text>
            <Status value={status} />
            <When at={createdAt} size="sm" c="dimmed" />
          </Group>
          {!isOpen && (
            <Button
              size="xs"
              variant="default"
              aria-label={`${t('admin.showContent')}: ${t('admin.attempt', { attempt })}`}
              onClick={() => setOpen(true)}
            >
              {t('admin.showContent')}
            </Button>
          )}
        </Group>
        {deliverableUrl && (
          <Anchor href={deliverableUrl} target="_blank" rel="noreferrer noopener" size="sm">
            {deliverableUrl}
          </Anchor>
        )}
        {screenshotUrl && (
          <Anchor href={screenshotUrl} target="_blank" size="sm">
            {t('admin.screenshot')}
          </Anchor>
        )}
        <ProblemNotice error={error} />
        {data && (
          <>
            {data.notes && (
              <Text size="sm" className="text-as-written">
                {data.notes}
              </Text>
            )}
            <Content value={data.result} label={t('admin.result')} />
            <Content value={data.evidence} label={t('admin.evidence')} />
          </>
        )}
      </Stack>
    </Card>
  )
}
