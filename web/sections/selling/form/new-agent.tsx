import { Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import type { AgentWithKey } from '../../../api/schema.d.ts'
import { ButtonLink } from '../../../parts/link.tsx'
import { Page } from '../../../parts/page.tsx'
import { t } from '../../../texts/text.ts'
import { Secret } from '../secret.tsx'
import { AgentForm } from './agent-form.tsx'
import { bodyOf } from './values.ts'

/** Creates an agent, then shows its key once. */
export function NewAgent() {
  const [agent, setAgent] = useState<AgentWithKey | null>(null)
  const create = $api.useMutation('post', '/agents')
  if (agent) return <Created agent={agent} />
  return (
    <Page title={t('selling.new.title')} description={t('selling.new.text')}>
      <AgentForm
        submit={t('selling.new.submit')}
        onSubmit={async values => {
          setAgent(await create.mutateAsync({ body: bodyOf(values) }))
          void refreshReads('/agents', '/wallets')
        }}
      />
    </Page>
  )
}

function Created({ agent: { id, name, apiKey } }: { agent: AgentWithKey }) {
  return (
    <Page title={t('selling.created.title', { name })} description={t('selling.created.text')}>
      <Stack align="flex-start" gap="lg">
        <Secret label={t('selling.keys.key')} value={apiKey} />
        <Text size="sm" c="dimmed" maw={640}>
          {t('selling.created.key')}
        </Text>
        <ButtonLink to="/app/selling/agents/$id" params={{ id }}>
          {t('selling.created.continue')}
        </ButtonLink>
      </Stack>
    </Page>
  )
}
