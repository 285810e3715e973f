import { getRouteApi } from '@tanstack/react-router'
import { Text } from '@mantine/core'
import { t } from '../../../texts/text.ts'
import { BudgetForm } from './budget-form.tsx'
import { AgentFrame } from './frame.tsx'
import { PolicyForm } from './policy-form.tsx'

const route = getRouteApi('/public/private/app/selling/agents/$id/rules')

/** What the agent may spend and agree to without its owner. */
export function Rules() {
  const { id } = route.useParams()
  return (
    <AgentFrame id={id}>
      {() => (
        <>
          <Text c="dimmed">{t('selling.rules.text')}</Text>
          <BudgetForm id={id} />
          <PolicyForm id={id} />
        </>
      )}
    </AgentFrame>
  )
}
