import { notifications } from '@mantine/notifications'
import { getRouteApi } from '@tanstack/react-router'
import { $api, refreshReads } from '../../../api/client.ts'
import { t } from '../../../texts/text.ts'
import { AgentFrame } from '../agent/frame.tsx'
import { AgentForm } from './agent-form.tsx'
import { bodyOf } from './values.ts'

const route = getRouteApi('/public/private/app/selling/agents/$id/edit')

export function EditAgent() {
  const { id } = route.useParams()
  const update = $api.useMutation('patch', '/agents/{id}')
  return (
    <AgentFrame id={id}>
      {agent => (
        <AgentForm
          agent={agent}
          submit={t('selling.save')}
          onSubmit={async values => {
            await update.mutateAsync({ params: { path: { id } }, body: bodyOf(values) })
            void refreshReads('/agents')
            notifications.show({ message: t('selling.saved'), color: 'teal' })
          }}
        />
      )}
    </AgentFrame>
  )
}
