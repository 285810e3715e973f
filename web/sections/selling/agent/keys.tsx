import { Button, Group, List, PasswordInput, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import type { Agent, RevokedAgentKeys } from '../../../api/schema.d.ts'
import { Copy } from '../../../parts/copy.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { dateTime, money } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { counted, t } from '../../../texts/text.ts'
import { Secret } from '../secret.tsx'
import { AgentFrame } from './frame.tsx'

const route = getRouteApi('/public/private/app/selling/agents/$id/keys')

export function Keys() {
  const { id } = route.useParams()
  return (
    <AgentFrame id={id}>
      {agent => (
        <>
          <AgentKey agent={agent} />
          <People agent={agent} />
        </>
      )}
    </AgentFrame>
  )
}

interface Shown {
  key: string
  /** Until when the key before works. */
  oldUntil?: string
}

/** The API does not show keys again; what is done here is shown once. */
function AgentKey({ agent: { id } }: { agent: Agent }) {
  const [shown, setShown] = useState<Shown | null>(null)
  const [revoked, setRevoked] = useState<RevokedAgentKeys | null>(null)
  const issue = $api.useMutation('post', '/agents/{id}/keys')
  const issueKey = () =>
    issue.mutate(
      { params: { path: { id } } },
      {
        onSuccess: ({ apiKey }) => {
          setRevoked(null)
          setShown({ key: apiKey })
        },
      },
    )
  return (
    <Panel title={t('selling.keys.title')}>
      <Text size="sm">{t('selling.keys.text')}</Text>
      {shown && <Secret label={t('selling.keys.key')} value={shown.key} />}
      {shown?.oldUntil && (
        <Text size="sm">{t('selling.keys.oldUntil', { time: dateTime(shown.oldUntil) })}</Text>
      )}
      {revoked && <Revoked result={revoked} />}
      <ProblemNotice error={issue.error} />
      <Group gap="xs">
        <Rotate id={id} onRotated={setShown} />
        <Button size="xs" variant="default" loading={issue.isPending} onClick={issueKey}>
          {t('selling.keys.issue')}
        </Button>
        <Revoke
          id={id}
          onRevoked={result => {
            setShown(null)
            setRevoked(result)
          }}
        />
      </Group>
    </Panel>
  )
}

function Rotate({ id, onRotated }: { id: string; onRotated(shown: Shown): void }) {
  const [opened, setOpened] = useState(false)
  const [key, setKey] = useState('')
  const rotate = async () => {
    const { data } = await api.POST('/agents/{id}/rotate-key', {
      params: { path: { id } },
      headers: { 'x-agent-api-key': key.trim() },
      // The key alone proves that the caller holds it: the session stays out of it.
      credentials: 'omit',
    })
    if (data) onRotated({ key: data.newApiKey, oldUntil: data.oldKeyExpiresAt })
    setKey('')
  }
  return (
    <>
      <Button size="xs" onClick={() => setOpened(true)}>
        {t('selling.keys.rotate')}
      </Button>
      <FormDialog
        title={t('selling.keys.rotate.title')}
        confirm={t('selling.keys.rotate')}
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={rotate}
      >
        <Text size="sm">{t('selling.keys.rotate.text')}</Text>
        <PasswordInput
          visibilityToggleButtonProps={{ 'aria-label': t('field.showPassword') }}
          label={t('selling.keys.current')}
          autoComplete="off"
          required
          value={key}
          onChange={event => setKey(event.currentTarget.value)}
          data-autofocus
        />
      </FormDialog>
    </>
  )
}

function Revoke({ id, onRevoked }: { id: string; onRevoked(result: RevokedAgentKeys): void }) {
  const [opened, setOpened] = useState(false)
  const revoke = $api.useMutation('post', '/agents/{id}/revoke-key')
  return (
    <>
      <Button size="xs" variant="light" color="red" onClick={() => setOpened(true)}>
        {t('selling.keys.revoke')}
      </Button>
      <FormDialog
        title={t('selling.keys.revoke.title')}
        confirm={t('selling.keys.revoke')}
        color="red"
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={async () => {
          onRevoked(await revoke.mutateAsync({ params: { path: { id } } }))
          void refreshReads('/agents', '/ap2', '/payments')
        }}
      >
        <Text size="sm">{t('selling.keys.revoke.text')}</Text>
      </FormDialog>
    </>
  )
}

function Revoked({ result: { frozenEscrows } }: { result: RevokedAgentKeys }) {
  return (
    <>
      <Text size="sm" role="status">
        {t('selling.keys.revoked')}{' '}
        {frozenEscrows.length > 0 && counted('selling.keys.frozen', frozenEscrows.length)}
      </Text>
      {frozenEscrows.length > 0 && (
        <List size="sm">
          {frozenEscrows.map(({ escrowId }) => (
            <List.Item key={escrowId}>
              <Frozen id={escrowId} />
            </List.Item>
          ))}
        </List>
      )}
    </>
  )
}

/** The deal of a frozen escrow, with what it holds. */
function Frozen({ id }: { id: string }) {
  const { data } = $api.useQuery('get', '/payments/escrow/{id}', { params: { path: { id } } })
  if (!data) return null
  return (
    <TextLink inherit to="/app/deals/$id" params={{ id: data.negotiationId }}>
      {money(data.held, data.currency)}
    </TextLink>
  )
}

/** Who may use the agent: its creator and the person who claimed it. */
function People({ agent }: { agent: Agent }) {
  const me = useMe()
  const { id, creatorId, ownerId, claimedById } = agent
  const [isDetaching, setDetaching] = useState(false)
  const link = $api.useMutation('post', '/agents/{id}/claim-link')
  const detach = $api.useMutation('post', '/agents/{id}/detach-creator')
  if (!me) return null
  const isOwner = me.id === ownerId
  return (
    <Panel title={t('selling.people.title')}>
      <Text size="sm">
        {claimedById === null
          ? t('selling.people.unclaimed')
          : isOwner
            ? t(creatorId === ownerId ? 'selling.people.own' : 'selling.people.claimed')
            : t('selling.people.creator')}
      </Text>
      {link.data && (
        <>
          <Copy value={link.data.claimUrl} label={t('selling.people.link')} />
          <Text size="sm">{t('selling.people.until', { time: dateTime(link.data.expiresAt) })}</Text>
        </>
      )}
      <ProblemNotice error={link.error} />
      <Group gap="xs">
        {claimedById === null && (
          <Button
            size="xs"
            variant="default"
            loading={link.isPending}
            onClick={() => link.mutate({ params: { path: { id } } })}
          >
            {t('selling.people.makeLink')}
          </Button>
        )}
        {isOwner && creatorId !== ownerId && (
          <Button size="xs" variant="default" onClick={() => setDetaching(true)}>
            {t('selling.people.detach')}
          </Button>
        )}
      </Group>
      <FormDialog
        title={t('selling.people.detach.title')}
        confirm={t('selling.people.detach')}
        color="red"
        opened={isDetaching}
        onClose={() => setDetaching(false)}
        onConfirm={async () => {
          await detach.mutateAsync({ params: { path: { id } } })
          void refreshReads('/agents')
        }}
      >
        <Text size="sm">{t('selling.people.detach.text')}</Text>
      </FormDialog>
    </Panel>
  )
}
