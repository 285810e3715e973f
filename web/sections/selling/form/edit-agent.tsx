import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import { offerUndo } from '../../../app/undo.tsx'
import { t } from '../../../texts/text.ts'
import { AgentFrame } from '../agent/frame.tsx'
import { AgentForm } from './agent-form.tsx'
import { bodyOf, type AgentValues } from './values.ts'

const route = getRouteApi('/public/private/app/selling/agents/$id/edit')

export function EditAgent() {
  const { id } = route.useParams()
  const update = $api.useMutation('patch', '/agents/{id}')
  // The form is made anew when a change is undone.
  const [undone, setUndone] = useState(0)
  const save = async (values: AgentValues, before: AgentValues) => {
    await update.mutateAsync({ params: { path: { id } }, body: bodyOf(values, before) })
    await refreshReads('/agents')
  }
  return (
    <AgentFrame id={id}>
      {agent => (
        <AgentForm
          key={undone}
          agent={agent}
          submit={t('selling.save')}
          onSubmit={async (values, before) => {
            await save(values, before)
            offerUndo(t('selling.saved'), async () => {
              await save(before, values)
              setUndone(count => count + 1)
            })
          }}
        />
      )}
    </AgentFrame>
  )
}
