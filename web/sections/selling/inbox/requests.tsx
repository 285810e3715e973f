import { Badge, Button, Code, Group, Paper, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../../api/client.ts'
import type { CollaborationRequest } from '../../../api/schema.d.ts'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE, Pager } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { t } from '../../../texts/text.ts'

/** Requests to work together, sent and received. */
export function Requests({ agentId }: { agentId: string }) {
  const [offset, setOffset] = useState(0)
  const { data, error, refetch } = $api.useQuery('get', '/agents/a2a/{agentId}', {
    params: { path: { agentId }, query: { offset, limit: PAGE_SIZE } },
  })
  return (
    <Panel title={t('selling.requests.title')} actions={<Ask agentId={agentId} />}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!data && !error && <Loading rows={2} />}
      {data?.total === 0 && (
        <Text size="sm" c="dimmed">
          {t('selling.requests.none')}
        </Text>
      )}
      {data?.items.map(request => (
        <Request key={request.id} request={request} agentId={agentId} />
      ))}
      {data && (
        <Pager total={data.total} isCapped={data.totalIsCapped} offset={offset} onOffset={setOffset} />
      )}
    </Panel>
  )
}

const inWords = (payload: unknown): string =>
  typeof payload === 'string' ? payload : JSON.stringify(payload, null, 2)

function Request({ request, agentId }: { request: CollaborationRequest; agentId: string }) {
  const { status, requesterAgent, responderAgent, payload, counterPayload, createdAt } = request
  const isReceived = responderAgent.id === agentId
  const other = isReceived ? requesterAgent : responderAgent
  return (
    <Paper withBorder p="sm">
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Badge variant="default" tt="none">
              {t(isReceived ? 'selling.requests.received' : 'selling.requests.sent')}
            </Badge>
            <Text fw={600}>{other.name}</Text>
            <When at={createdAt} size="sm" c="dimmed" />
          </Group>
          <Status value={status} />
        </Group>
        <Code block tabIndex={0}>
          {inWords(payload)}
        </Code>
        {counterPayload !== null && counterPayload !== undefined && (
          <>
            <Text size="sm" c="dimmed">
              {t('selling.requests.reply')}
            </Text>
            <Code block tabIndex={0}>
              {inWords(counterPayload)}
            </Code>
          </>
        )}
        {isReceived && status === 'PENDING' && (
          <Group gap="xs">
            <Respond request={request} status="ACCEPTED" />
            <Respond request={request} status="REJECTED" />
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

interface RespondProps {
  request: CollaborationRequest
  status: 'ACCEPTED' | 'REJECTED'
}

function Respond({ request: { id, requesterAgent }, status }: RespondProps) {
  const [opened, setOpened] = useState(false)
  const [reply, setReply] = useState('')
  const respond = $api.useMutation('post', '/agents/a2a/respond')
  const action = t(status === 'ACCEPTED' ? 'selling.requests.accept' : 'selling.requests.reject')
  return (
    <>
      <Button
        size="xs"
        variant={status === 'ACCEPTED' ? 'filled' : 'default'}
        onClick={() => setOpened(true)}
        aria-label={`${action}: ${requesterAgent.name}`}
      >
        {action}
      </Button>
      <FormDialog
        title={`${action}: ${requesterAgent.name}`}
        confirm={action}
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={async () => {
          const body = { requestId: id, status, ...(reply ? { counterPayload: reply } : {}) }
          await respond.mutateAsync({ body })
          void refreshReads('/agents/a2a')
        }}
      >
        <Textarea
          label={t('selling.requests.message')}
          autosize
          minRows={3}
          value={reply}
          onChange={event => setReply(event.currentTarget.value)}
          data-autofocus
        />
      </FormDialog>
    </>
  )
}

/** Asks another agent, named by its address in the catalog. */
function Ask({ agentId }: { agentId: string }) {
  const [opened, setOpened] = useState(false)
  const [slug, setSlug] = useState('')
  const [message, setMessage] = useState('')
  const ask = async () => {
    const { data } = await api.GET('/agents/slug/{slug}', { params: { path: { slug: slug.trim() } } })
    if (!data) return
    const body = { requesterAgentId: agentId, responderAgentId: data.id, payload: message }
    await api.POST('/agents/a2a', { body })
    void refreshReads('/agents/a2a')
    setSlug('')
    setMessage('')
  }
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {t('selling.requests.ask')}
      </Button>
      <FormDialog
        title={t('selling.requests.ask.title')}
        confirm={t('selling.requests.send')}
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={ask}
      >
        <Text size="sm">{t('selling.requests.ask.text')}</Text>
        <TextInput
          label={t('selling.requests.slug')}
          description={t('selling.requests.slug.hint')}
          required
          value={slug}
          onChange={event => setSlug(event.currentTarget.value)}
          data-autofocus
        />
        <Textarea
          label={t('selling.requests.message')}
          required
          autosize
          minRows={3}
          value={message}
          onChange={event => setMessage(event.currentTarget.value)}
        />
      </FormDialog>
    </>
  )
}
