import { Code, List, Stack, Text } from '@mantine/core'
import { Details } from '../../parts/details.tsx'
import { dateTime, money } from '../../parts/format.ts'
import { TextLink } from '../../parts/link.tsx'
import { Panel } from '../../parts/panel.tsx'
import { t } from '../../texts/text.ts'
import { criterionInWords } from './criteria.ts'
import type { Deal } from './deal-state.ts'
import { DeliveryStatus } from './states.tsx'

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What was agreed. */
export function Terms({ deal }: { deal: Deal }) {
  const { requestedService, requirements, acceptance, status, deliverBy, responderAgent, milestones } = deal
  const input = isObject(requirements) ? (requirements.input ?? requirements) : requirements
  const isAgreed = status !== 'PENDING' && status !== 'COUNTERED'
  return (
    <Panel title={t(isAgreed ? 'deal.terms' : 'deal.terms.offered')}>
      <Text className="text-as-written">{requestedService}</Text>
      <Input value={input} />
      {acceptance.length > 0 && (
        <Stack gap={4}>
          <Text size="sm" fw={600}>
            {t('deal.criteria')}
          </Text>
          <List size="sm">
            {acceptance.map(criterion => (
              <List.Item key={criterion.key}>{criterionInWords(criterion)}</List.Item>
            ))}
          </List>
        </Stack>
      )}
      {milestones.length > 0 && <Milestones deal={deal} />}
      <Details
        rows={[
          ...(responderAgent
            ? [
                [
                  t('deal.agent'),
                  <TextLink key="agent" to="/app/agents/$slug" params={{ slug: responderAgent.slug }}>
                    {responderAgent.name}
                  </TextLink>,
                ] as const,
              ]
            : []),
          ...(deliverBy ? [[t('hire.deadline'), dateTime(deliverBy)] as const] : []),
          [t('deal.autoRelease'), t('deal.autoRelease.days', { days: deal.autoReleaseDays })],
        ]}
      />
    </Panel>
  )
}

function Input({ value }: { value: unknown }) {
  if (value === null || value === undefined) return null
  if (typeof value === 'string') return <Text className="text-as-written">{value}</Text>
  if (!isObject(value)) return <Code block>{JSON.stringify(value, null, 2)}</Code>
  const rows = Object.entries(value)
  if (rows.length === 0) return null
  return (
    <Details
      rows={rows.map(([name, field]) => [
        name,
        typeof field === 'string' ? field : <Code key={name}>{JSON.stringify(field)}</Code>,
      ])}
    />
  )
}

function Milestones({ deal: { milestones, escrow, currency } }: { deal: Deal }) {
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {t('hire.milestones')}
      </Text>
      <Details
        rows={milestones.map(({ key, title, amount }) => {
          const funded = escrow?.milestones.find(each => each.key === key)
          return [
            title,
            <span key={key}>
              {money(amount, currency)}{' '}
              {funded && (
                <DeliveryStatus value={funded.released === amount ? 'RELEASED' : funded.deliveryStatus} />
              )}
            </span>,
          ]
        })}
      />
    </Stack>
  )
}
