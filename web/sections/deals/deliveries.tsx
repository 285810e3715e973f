import { Anchor, Badge, Box, Code, Group, Image, List, Paper, Stack, Text } from '@mantine/core'
import { IconCheck, IconClock, IconX } from '@tabler/icons-react'
import { $api } from '../../api/client.ts'
import type { Delivery, DeliverySummary } from '../../api/schema.d.ts'
import { Loading } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { When } from '../../parts/when.tsx'
import { checkFailure, t } from '../../texts/text.ts'
import { criterionInWords } from './criteria.ts'
import type { FundedDeal } from './deal-state.ts'
import { DeliveryStatus } from './states.tsx'

/** Everything that was delivered, the newest first, with what the verifier found; the newest of each milestone is open. */
export function Deliveries({ deal }: { deal: FundedDeal }) {
  const deliveries = deal.escrow.deliveries.toReversed()
  if (deliveries.length === 0) return null
  const newestOf = (key: string | null) => deliveries.find(({ milestoneKey }) => milestoneKey === key)
  return (
    <Panel title={t('deal.deliveries')}>
      {deliveries.map(attempt => (
        <Attempt
          key={attempt.id}
          deal={deal}
          attempt={attempt}
          isOpen={newestOf(attempt.milestoneKey) === attempt}
        />
      ))}
    </Panel>
  )
}

/** Whether the buyer can open the files of a delivery: its milestone is paid, or a part of it when the deal has ended. */
function isPaid({ escrow }: FundedDeal, { milestoneKey }: DeliverySummary): boolean {
  const { amount, released } = escrow.milestones.find(({ key }) => key === milestoneKey) ?? escrow
  return Number(released) > 0 && (released === amount || escrow.endedAt !== null)
}

interface AttemptProps {
  deal: FundedDeal
  attempt: DeliverySummary
  isOpen: boolean
}

function Attempt({ deal, attempt, isOpen }: AttemptProps) {
  const { milestoneKey, status, report, createdAt, screenshotUrl } = attempt
  const milestone = deal.escrow.milestones.find(({ key }) => key === milestoneKey)
  return (
    <Paper withBorder p="md">
      <Group gap="sm" mb="xs">
        <Text fw={600} size="sm">
          {milestone?.title ?? t('deal.delivery', { number: attempt.attempt })}
        </Text>
        <DeliveryStatus value={status} />
        <Text size="xs" c="dimmed">
          <When at={createdAt} />
        </Text>
      </Group>
      {report && !report.ok && (
        <Text size="sm" c="red" mb="xs">
          {checkFailure(report.code, report.reason ?? '')}
        </Text>
      )}
      {isOpen && <Content escrowId={deal.escrow.id} id={attempt.id} isPaid={isPaid(deal, attempt)} />}
      {isOpen && screenshotUrl && (
        <Box mt="sm">
          <Text size="xs" c="dimmed" mb={4}>
            {t('deal.screenshot')}
          </Text>
          <Anchor href={screenshotUrl} target="_blank" rel="noreferrer">
            <Image
              src={screenshotUrl}
              alt={t('deal.screenshot.alt')}
              radius="md"
              className="screenshot"
              loading="lazy"
            />
          </Anchor>
        </Box>
      )}
      {isOpen && <Results deal={deal} attempt={attempt} />}
    </Paper>
  )
}

function Content({ escrowId, id, isPaid }: { escrowId: string; id: string; isPaid: boolean }) {
  const { data, error, isPending } = $api.useQuery(
    'get',
    '/payments/escrow/{id}/deliveries/{deliveryId}',
    { params: { path: { id: escrowId, deliveryId: id } } },
    { staleTime: 0 },
  )
  if (isPending) return <Loading rows={2} height={24} />
  return (
    <Stack gap="xs">
      <ProblemNotice error={error} />
      {data && <Delivered delivery={data} isPaid={isPaid} />}
    </Stack>
  )
}

function Delivered({ delivery, isPaid }: { delivery: Delivery; isPaid: boolean }) {
  const { notes, result, deliverableUrl, artifacts } = delivery
  return (
    <>
      {notes && <Text className="text-as-written">{notes}</Text>}
      {typeof result === 'string' && <Text className="text-as-written">{result}</Text>}
      {typeof result === 'object' && result !== null && <Code block>{JSON.stringify(result, null, 2)}</Code>}
      {deliverableUrl && <WebLink url={deliverableUrl} />}
      {artifacts.length > 0 && (
        <List size="sm">
          {artifacts.map((artifact, index) => (
            <List.Item key={index}>
              <Artifact artifact={artifact} isPaid={isPaid} />
            </List.Item>
          ))}
        </List>
      )}
    </>
  )
}

function Artifact({ artifact, isPaid }: { artifact: unknown; isPaid: boolean }) {
  const { name = '', url, vaultId } = artifact as { name?: string; url?: string; vaultId?: string }
  if (vaultId)
    return isPaid ? (
      <Anchor href={`/vault/${encodeURIComponent(vaultId)}/content`} download={name} inherit>
        {name}
      </Anchor>
    ) : (
      <>
        {name}{' '}
        <Badge variant="default" tt="none">
          {t('deal.file.locked')}
        </Badge>
      </>
    )
  return url ? <WebLink url={url} name={name} /> : name
}

/** Only addresses of the web become links: the other party chose them. */
function WebLink({ url, name = url }: { url: string; name?: string }) {
  if (!/^https?:\/\//i.test(url)) return <Text size="sm">{name}</Text>
  return (
    <Anchor href={url} target="_blank" rel="noreferrer noopener" size="sm" className="text-as-written">
      {name}
    </Anchor>
  )
}

const ICONS = {
  PASSED: <IconCheck size={16} color="var(--mantine-color-teal-6)" aria-hidden />,
  FAILED: <IconX size={16} color="var(--mantine-color-red-6)" aria-hidden />,
} as const

/** What became of each agreed criterion. */
function Results({ deal, attempt: { criteria } }: Omit<AttemptProps, 'isOpen'>) {
  if (criteria.length === 0) return null
  return (
    <Box mt="sm">
      <Text size="xs" c="dimmed" mb={4}>
        {t('deal.criteria')}
      </Text>
      <List size="sm" spacing={4} center>
        {criteria.map(({ key, status, detail }) => {
          const agreed = deal.acceptance.find(each => each.key === key)
          return (
            <List.Item
              key={key}
              icon={
                status === 'PASSED' || status === 'FAILED' ? (
                  ICONS[status]
                ) : (
                  <IconClock size={16} aria-hidden />
                )
              }
            >
              {agreed ? criterionInWords(agreed, deal.milestones) : key} <DeliveryStatus value={status} />
              {detail && (
                <Text size="xs" c="dimmed">
                  {detail}
                </Text>
              )}
            </List.Item>
          )
        })}
      </List>
    </Box>
  )
}
