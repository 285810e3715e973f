import { Group, Select, Text } from '@mantine/core'
import { IconClipboardCheck } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import type { Agent } from '../../../api/schema.d.ts'
import { money } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Page } from '../../../parts/page.tsx'
import { Status } from '../../../parts/status.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { ActionButton } from '../parts/action-button.tsx'
import { Filter } from '../parts/filter.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { MaybePerson, useNames } from '../parts/people.tsx'
import { AGENT_STATES } from '../states.ts'

const route = getRouteApi('/public/private/app/admin/agents')

/** Agents of all owners: those that wait for a review first. */
export function Agents() {
  const { offset = 0, status = 'PENDING_REVIEW' } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/agents' })
  const { data, ...read } = $api.useQuery('get', '/agents', {
    params: { query: { showAll: true, status, offset, limit: PAGE_SIZE } },
  })
  const names = useNames(data?.agents.map(({ ownerId }) => ownerId) ?? [])
  return (
    <Page title={t('admin.agents.title')} description={t('admin.agents.text')}>
      <Filter
        label={t('admin.state')}
        value={status}
        values={AGENT_STATES}
        all={false}
        onChange={next => void navigate({ search: { status: next } })}
      />
      <ListView
        read={{ ...read, data: data && { ...data, items: data.agents } }}
        caption={t('admin.agents.title')}
        idOf={({ id }) => id}
        empty={{
          icon: IconClipboardCheck,
          title: t('admin.agents.empty'),
          text: t('admin.agents.empty.text'),
        }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { status, offset: next }, replace }),
        }}
        columns={[
          {
            title: t('admin.name'),
            render: ({ slug, name }) => (
              <TextLink to="/app/agents/$slug" params={{ slug }} size="sm">
                {name}
              </TextLink>
            ),
          },
          { title: t('admin.owner'), render: ({ ownerId }) => <MaybePerson id={ownerId} names={names} /> },
          {
            title: t('admin.price'),
            align: 'right',
            render: ({ pricing }) => money(pricing.amount, pricing.currency),
          },
          { title: t('admin.trust'), render: ({ trustTier }) => nameOf(trustTier) },
          { title: t('admin.state'), render: agent => <Status value={agent.status} /> },
          { title: t('admin.since'), render: ({ createdAt }) => <When at={createdAt} /> },
          { title: t('admin.actions'), isActions: true, render: agent => <AgentActions agent={agent} /> },
        ]}
      />
    </Page>
  )
}

function AgentActions({ agent }: { agent: Agent }) {
  const { id, status, name, trustTier } = agent
  const suspend = $api.useMutation('post', '/admin/agents/{id}/suspend')
  const reinstate = $api.useMutation('post', '/admin/agents/{id}/reinstate')
  const params = { path: { id } }
  const refresh = () => refreshReads('/agents', '/admin/')
  if (status === 'SUSPENDED')
    return (
      <ActionButton
        label={t('admin.reinstate')}
        subject={name}
        title={t('admin.reinstate.title', { name })}
        reason="optional"
        done={t('admin.reinstate.done')}
        onConfirm={reason => reinstate.mutateAsync({ params, body: reason ? { reason } : {} }).then(refresh)}
      />
    )
  if (status === 'ARCHIVED') return null
  return (
    <Group gap="xs" wrap="nowrap">
      {status === 'PENDING_REVIEW' && (
        <ReviewByOthers agent={agent}>
          <ReviewActions id={id} name={name} />
        </ReviewByOthers>
      )}
      {status === 'ACTIVE' && trustTier === 'VERIFIED' && (
        <ReviewByOthers agent={agent}>
          <TrustAction id={id} name={name} />
        </ReviewByOthers>
      )}
      <ActionButton
        label={t('admin.suspend')}
        subject={name}
        title={t('admin.suspend.title', { name })}
        text={t('admin.agents.suspend.text')}
        reason="optional"
        color="red"
        done={t('admin.suspend.done')}
        undo={() => reinstate.mutateAsync({ params, body: {} }).then(refresh)}
        onConfirm={reason => suspend.mutateAsync({ params, body: reason ? { reason } : {} }).then(refresh)}
      />
    </Group>
  )
}

/** The API refuses a review by the owner of the agent, and by its creator unless the owner detached them. */
function ReviewByOthers({ agent: { ownerId, creatorId }, children }: { agent: Agent; children: ReactNode }) {
  const me = useMe()
  if (!me) return null
  return me.id === ownerId || me.id === creatorId ? <Text size="sm">{t('admin.agents.own')}</Text> : children
}

interface Reviewed {
  id: string
  name: string
}

function useReview(id: string) {
  const review = $api.useMutation('post', '/agents/{id}/review')
  return (decision: 'APPROVED' | 'REJECTED' | 'NEEDS_WORK' | 'TRUSTED', notes: string) =>
    review
      .mutateAsync({ params: { path: { id } }, body: { decision, ...(notes ? { notes } : {}) } })
      .then(() => refreshReads('/agents', '/admin/'))
}

function ReviewActions({ id, name }: Reviewed) {
  const review = useReview(id)
  const [decision, setDecision] = useState<'REJECTED' | 'NEEDS_WORK'>('NEEDS_WORK')
  return (
    <>
      <ActionButton
        label={t('admin.approve')}
        subject={name}
        title={t('admin.agents.approve.title', { name })}
        text={t('admin.agents.approve.text')}
        reason="optional"
        reasonLabel={t('admin.agents.notes')}
        button={{ variant: 'filled' }}
        done={t('admin.agents.approve.done', { name })}
        onConfirm={notes => review('APPROVED', notes)}
      />
      <ActionButton
        label={t('admin.reject')}
        subject={name}
        title={t('admin.agents.reject.title', { name })}
        reason="required"
        reasonLabel={t('admin.agents.notes')}
        color="red"
        done={t('admin.agents.reject.done', { name })}
        onConfirm={notes => review(decision, notes)}
      >
        <Select
          label={t('admin.decision')}
          value={decision}
          allowDeselect={false}
          data={[
            { value: 'NEEDS_WORK', label: t('admin.agents.needsWork') },
            { value: 'REJECTED', label: t('admin.agents.rejected') },
          ]}
          onChange={value => setDecision(value === 'REJECTED' ? value : 'NEEDS_WORK')}
        />
      </ActionButton>
    </>
  )
}

function TrustAction({ id, name }: Reviewed) {
  const review = useReview(id)
  return (
    <ActionButton
      label={t('admin.agents.trust')}
      subject={name}
      title={t('admin.agents.trust.title', { name })}
      text={t('admin.agents.trust.text')}
      reason="optional"
      reasonLabel={t('admin.agents.notes')}
      done={t('admin.agents.trust.done', { name })}
      onConfirm={notes => review('TRUSTED', notes)}
    />
  )
}
