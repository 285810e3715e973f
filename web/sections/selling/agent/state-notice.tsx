import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { IconCircleFilled } from '@tabler/icons-react'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import type { Agent } from '../../../api/schema.d.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { offerUndo } from '../../../app/undo.tsx'
import { nameOf, t } from '../../../texts/text.ts'

const COLORS = {
  DRAFT: 'gray',
  PENDING_REVIEW: 'yellow',
  ACTIVE: 'teal',
  PAUSED: 'gray',
  REJECTED: 'red',
  SUSPENDED: 'red',
  ARCHIVED: 'gray',
} as const

/** What the state of the agent means for its owner, and what can be done now. */
export function StateNotice({ agent }: { agent: Agent }) {
  const { id, status, visibility } = agent
  const publish = $api.useMutation('post', '/agents/{id}/publish')
  const update = $api.useMutation('patch', '/agents/{id}')
  const done = () => void refreshReads('/agents', '/a2a')
  const params = { path: { id } }
  const resume = async () => {
    await publish.mutateAsync({ params })
    done()
  }
  const pause = () =>
    update.mutate(
      { params, body: { status: 'PAUSED' } },
      {
        onSuccess: () => {
          done()
          offerUndo(t('selling.pause.done'), resume)
        },
      },
    )
  return (
    <Alert
      variant="default"
      icon={
        <IconCircleFilled size={12} color={`var(--mantine-color-${COLORS[status]}-filled)`} aria-hidden />
      }
      title={nameOf(status)}
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          {t(`selling.state.${status}`)}
          {status === 'ACTIVE' && visibility !== 'PUBLIC' && ` ${t(`selling.visible.${visibility}`)}`}
        </Text>
        <ProblemNotice error={publish.error ?? update.error} />
        <Group gap="xs">
          {(status === 'DRAFT' || status === 'PAUSED') && (
            <Button
              size="xs"
              loading={publish.isPending}
              onClick={() => publish.mutate({ params }, { onSuccess: done })}
            >
              {t('selling.publish')}
            </Button>
          )}
          {status === 'DRAFT' && <Submit id={id} onDone={done} />}
          {status === 'ACTIVE' && (
            <Button size="xs" variant="default" loading={update.isPending} onClick={pause}>
              {t('selling.pause')}
            </Button>
          )}
          {status !== 'SUSPENDED' && status !== 'ARCHIVED' && <Archive agent={agent} onDone={done} />}
        </Group>
      </Stack>
    </Alert>
  )
}

function Submit({ id, onDone }: { id: string; onDone(): void }) {
  const [opened, setOpened] = useState(false)
  const [notes, setNotes] = useState('')
  const submit = $api.useMutation('post', '/agents/{id}/submit')
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {t('selling.submit')}
      </Button>
      <FormDialog
        title={t('selling.submit.title')}
        confirm={t('selling.submit.confirm')}
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={async () => {
          await submit.mutateAsync({ params: { path: { id } }, body: notes ? { notes } : {} })
          onDone()
        }}
      >
        <Text size="sm">{t('selling.submit.text')}</Text>
        <Textarea
          label={t('selling.submit.notes')}
          autosize
          minRows={3}
          maxLength={2000}
          value={notes}
          onChange={event => setNotes(event.currentTarget.value)}
          data-autofocus
        />
      </FormDialog>
    </>
  )
}

function Archive({ agent: { id, name }, onDone }: { agent: Agent; onDone(): void }) {
  const [opened, setOpened] = useState(false)
  const update = $api.useMutation('patch', '/agents/{id}')
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {t('selling.archive')}
      </Button>
      <FormDialog
        title={t('selling.archive.title', { name })}
        confirm={t('selling.archive')}
        color="red"
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={async () => {
          await update.mutateAsync({ params: { path: { id } }, body: { status: 'ARCHIVED' } })
          onDone()
        }}
      >
        <Text size="sm">{t('selling.archive.text')}</Text>
      </FormDialog>
    </>
  )
}
