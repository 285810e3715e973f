import { Select } from '@mantine/core'
import { useOrganizations } from '../../../api/organizations.ts'
import type { ServiceAccount } from '../../../api/schema.d.ts'
import { TextLink } from '../../../parts/link.tsx'
import { t } from '../../../texts/text.ts'
import { useAgent, useMyAgents } from '../../selling/queries.ts'

/** What a key acts for: `account`, or `agent/` or `organization/` with an id. */
export type Binding = 'account' | `agent/${string}` | `organization/${string}`

/** The binding as the API takes it. */
export function bindingOf(binding: Binding): { agentId?: string; organizationId?: string } {
  const [kind, id] = binding.split('/')
  if (kind === 'agent') return { agentId: id }
  return kind === 'organization' ? { organizationId: id } : {}
}

interface BindingFieldProps {
  value: Binding
  onChange(value: Binding): void
}

/** The whole account, one of its agents, or an organization that it manages. */
export function BindingField({ value, onChange }: BindingFieldProps) {
  const agents = (useMyAgents().data?.items ?? []).filter(({ status }) => status !== 'ARCHIVED')
  const organizations = (useOrganizations().data?.items ?? []).filter(({ role }) => role !== 'MEMBER')
  const choices: { value: Binding; label: string }[] = [
    { value: 'account', label: t('developer.binding.account') },
    ...agents.map(({ id, name }) => ({
      value: `agent/${id}` as const,
      label: t('developer.binding.agent', { name }),
    })),
    ...organizations.map(({ id, name }) => ({
      value: `organization/${id}` as const,
      label: t('developer.binding.organization', { name }),
    })),
  ]
  return (
    <Select
      label={t('developer.binding')}
      description={t('developer.binding.hint')}
      data={choices}
      value={value}
      onChange={next => onChange(choices.find(choice => choice.value === next)?.value ?? 'account')}
      allowDeselect={false}
      searchable={choices.length > 10}
    />
  )
}

/** What a key acts for, with a link to it. */
export function BoundTo({ account: { agentId, organizationId } }: { account: ServiceAccount }) {
  if (agentId !== null) return <BoundAgent id={agentId} />
  if (organizationId !== null) return <BoundOrganization id={organizationId} />
  return t('developer.binding.account')
}

function BoundAgent({ id }: { id: string }) {
  const { data } = useAgent(id)
  return (
    <TextLink inherit to="/app/selling/agents/$id" params={{ id }}>
      {data?.name ?? id}
    </TextLink>
  )
}

function BoundOrganization({ id }: { id: string }) {
  const organization = useOrganizations().data?.items.find(each => each.id === id)
  if (!organization) return id
  return (
    <TextLink inherit to="/app/organizations/$slug" params={{ slug: organization.slug }} search={{}}>
      {organization.name}
    </TextLink>
  )
}
