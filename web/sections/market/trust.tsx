import { Anchor, Box, Group, List, Progress, RingProgress, Stack, Text } from '@mantine/core'
import { $api } from '../../api/client.ts'
import type { TrustScore } from '../../api/schema.d.ts'
import { date, number, percent } from '../../parts/format.ts'
import { Loading } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { counted, suiteName, t } from '../../texts/text.ts'
import { Tier } from './agent-badges.tsx'

const COMPONENTS = ['delivery', 'onTime', 'disputes', 'certification'] as const

/** Why an agent can be trusted, and how far: what its score is made of, its certifications and its passport. */
export function Trust({ agentId }: { agentId: string }) {
  const { data, error, isPending, refetch } = $api.useQuery('get', '/trust/{agentId}/score', {
    params: { path: { agentId } },
  })
  return (
    <Panel title={t('agent.trust')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={3} height={30} />}
      {data && <Score trust={data} />}
      <Passport agentId={agentId} />
    </Panel>
  )
}

function Score({ trust }: { trust: TrustScore }) {
  const { score, tier, components, sampleSize } = trust
  return (
    <Group align="center" gap="xl">
      <RingProgress
        size={112}
        thickness={10}
        roundCaps={score > 0}
        sections={[{ value: score, color: 'green' }]}
        label={
          <Text ta="center" fw={700} size="xl">
            {score}
          </Text>
        }
        role="img"
        aria-label={t('agent.trust.score', { score })}
      />
      <Stack gap="xs" flex={1} miw={220}>
        <Group gap="xs">
          <Tier tier={tier} />
          <Text size="sm" c="dimmed">
            {t(`tier.${tier}.text`)}
          </Text>
        </Group>
        {COMPONENTS.map(name => (
          <Box key={name}>
            <Group justify="space-between" gap="xs">
              <Text size="sm">{t(`agent.trust.${name}`)}</Text>
              <Text size="sm" c="dimmed">
                {evidenceInWords(trust, name)}
              </Text>
            </Group>
            <Progress value={components[name] * 100} size="sm" aria-label={t(`agent.trust.${name}`)} />
          </Box>
        ))}
        <Text size="xs" c="dimmed">
          {counted('agent.trust.sample', sampleSize)}. {t('agent.trust.text')}
        </Text>
      </Stack>
    </Group>
  )
}

function evidenceInWords({ evidence }: TrustScore, name: (typeof COMPONENTS)[number]): string {
  const { inFavor, all } = evidence[name]
  if (all === 0) return t('agent.trust.noEvidence')
  const share = percent(inFavor / all)
  return t(name === 'certification' ? 'agent.trust.tasks' : 'agent.trust.evidence', { share })
}

function Passport({ agentId }: { agentId: string }) {
  const { data } = $api.useQuery('get', '/agents/{id}/passport', { params: { path: { id: agentId } } })
  if (!data) return null
  const { certifications, expiresAt } = data
  return (
    <Stack gap="sm" mt="lg">
      <Text fw={600} size="sm">
        {t('agent.certifications')}
      </Text>
      {certifications.length === 0 ? (
        <Text size="sm" c="dimmed">
          {t('agent.certifications.none')}
        </Text>
      ) : (
        <List size="sm">
          {certifications.map(({ certificate_id, benchmark_track, score, verified_at }) => (
            <List.Item key={certificate_id}>
              <b>{suiteName(benchmark_track)}</b>{' '}
              {t('agent.certified', { score: number(score), date: date(verified_at) })}
            </List.Item>
          ))}
        </List>
      )}
      <Text fw={600} size="sm">
        {t('agent.passport')}
      </Text>
      <Text size="sm" c="dimmed">
        {t('agent.passport.text', { date: date(expiresAt) })}{' '}
        <Anchor href={`/agents/${agentId}/passport`} target="_blank" rel="noreferrer" inherit>
          {t('agent.passport.open')}
        </Anchor>
      </Text>
    </Stack>
  )
}
