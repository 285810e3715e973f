import { Stack, Text } from '@mantine/core'
import { Details } from '../../parts/details.tsx'
import { dateTime, money } from '../../parts/format.ts'
import { TextLink } from '../../parts/link.tsx'
import { Panel } from '../../parts/panel.tsx'
import { counted, t } from '../../texts/text.ts'
import type { Deal } from './deal-state.ts'
import { Requirements } from './requirements.tsx'
import { DeliveryStatus } from './states.tsx'

/** What was agreed. */
export function Terms({ deal }: { deal: Deal }) {
  const { requestedService, requirements, acceptance, status, deliverBy, responderAgent, milestones } = deal
  const isAgreed = status !== 'PENDING' && status !== 'COUNTERED'
  return (
    <Panel title={t(isAgreed ? 'deal.terms' : 'deal.terms.offered')}>
      <Text className="text-as-written">{requestedService}</Text>
      <Requirements requirements={requirements} acceptance={acceptance} milestones={milestones} />
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
          [t('deal.autoRelease'), counted('deal.autoRelease.days', deal.autoReleaseDays)],
        ]}
      />
    </Panel>
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
