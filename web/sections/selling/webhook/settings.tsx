import { Button, Group, MultiSelect, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import { asProblem, fieldError } from '../../../api/problem.ts'
import type { AgentEventType, AgentWebhook } from '../../../api/schema.d.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { dateTime } from '../../../parts/format.ts'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { offerUndo } from '../../../app/undo.tsx'
import { When } from '../../../parts/when.tsx'
import { t } from '../../../texts/text.ts'
import { Secret } from '../secret.tsx'
import { EVENT_TYPES, eventTypesOf } from './event-types.ts'

/** Where the events of the agent are sent. */
export function WebhookSettings({ agentId }: { agentId: string }) {
  // The webhook itself is 404 while there is none.
  const { data, error, refetch, isPending } = $api.useQuery('get', '/agents/{id}/webhook/deliveries', {
    params: { path: { id: agentId }, query: { limit: 1 } },
  })
  const webhook = data?.webhook
  const [shown, setShown] = useState<Shown | null>(null)
  return (
    <Panel title={t('selling.webhook.title')} actions={webhook && <Status value={webhook.status} />}>
      <Text size="sm" c="dimmed">
        {t('selling.webhook.text')}
      </Text>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={2} />}
      {webhook?.status === 'DISABLED' && <Text size="sm">{t('selling.webhook.disabled')}</Text>}
      {webhook?.lastSuccessAt && (
        <Text size="sm">
          {t('selling.webhook.lastSuccess')} <When at={webhook.lastSuccessAt} />
        </Text>
      )}
      {shown && <Secret label={t('selling.webhook.secret')} value={shown.secret} />}
      {shown?.oldUntil && (
        <Text size="sm">{t('selling.webhook.oldUntil', { time: dateTime(shown.oldUntil) })}</Text>
      )}
      {data && (
        <Fields
          key={webhook?.updatedAt}
          agentId={agentId}
          webhook={webhook ?? undefined}
          onSecret={setShown}
        />
      )}
    </Panel>
  )
}

interface Shown {
  secret: string
  /** Until when the secret before signs too. */
  oldUntil?: string | null
}

interface FieldsProps {
  agentId: string
  webhook: AgentWebhook | undefined
  onSecret(shown: Shown): void
}

function Fields({ agentId, webhook, onSecret }: FieldsProps) {
  const params = { path: { id: agentId } }
  const save = $api.useMutation('put', '/agents/{id}/webhook')
  const form = useForm({
    initialValues: { url: webhook?.url ?? '', events: [...(webhook?.events ?? [])] as string[] },
  })
  const set = async (body: { url: string; events: AgentEventType[] | null }) => {
    const { secret } = await save.mutateAsync({ params, body })
    if (secret) onSecret({ secret })
    await refreshReads('/agents/{id}/webhook')
  }
  const submit = form.onSubmit(({ url, events }) => {
    const body = { url: url.trim(), events: events.length ? eventTypesOf(events) : null }
    void set(body).then(
      () => {
        if (webhook) offerUndo(t('selling.saved'), () => set({ url: webhook.url, events: webhook.events }))
        else notifications.show({ message: t('selling.saved'), color: 'teal' })
      },
      problem => form.setErrors({ url: fieldError(asProblem(problem), 'url') }),
    )
  })
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('selling.webhook.url')}
          description={t('selling.webhook.url.hint')}
          type="url"
          required
          placeholder="https://"
          {...form.getInputProps('url')}
        />
        <MultiSelect
          label={t('selling.webhook.events')}
          description={t('selling.webhook.events.hint')}
          data={EVENT_TYPES}
          searchable
          clearable
          hidePickedOptions
          {...form.getInputProps('events')}
        />
        {!form.errors.url && <ProblemNotice error={save.error} />}
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            {webhook && (
              <>
                <RotateSecret agentId={agentId} onSecret={onSecret} />
                <Delete agentId={agentId} />
              </>
            )}
          </Group>
          <Button type="submit" loading={save.isPending}>
            {t(webhook ? 'selling.save' : 'selling.webhook.set')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function RotateSecret({ agentId, onSecret }: { agentId: string; onSecret(shown: Shown): void }) {
  const [opened, setOpened] = useState(false)
  const rotate = $api.useMutation('post', '/agents/{id}/webhook/rotate-secret')
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {t('selling.webhook.rotate')}
      </Button>
      <FormDialog
        title={t('selling.webhook.rotate.title')}
        confirm={t('selling.webhook.rotate')}
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={async () => {
          const { secret, previousSecretValidUntil: oldUntil } = await rotate.mutateAsync({
            params: { path: { id: agentId } },
          })
          onSecret({ secret, oldUntil })
        }}
      >
        <Text size="sm">{t('selling.webhook.rotate.text')}</Text>
      </FormDialog>
    </>
  )
}

function Delete({ agentId }: { agentId: string }) {
  const [opened, setOpened] = useState(false)
  const remove = $api.useMutation('delete', '/agents/{id}/webhook')
  return (
    <>
      <Button size="xs" variant="default" color="red" onClick={() => setOpened(true)}>
        {t('selling.webhook.delete')}
      </Button>
      <FormDialog
        title={t('selling.webhook.delete.title')}
        confirm={t('selling.webhook.delete')}
        color="red"
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={async () => {
          await remove.mutateAsync({ params: { path: { id: agentId } } })
          void refreshReads('/agents/{id}/webhook')
        }}
      >
        <Text size="sm">{t('selling.webhook.delete.text')}</Text>
      </FormDialog>
    </>
  )
}
