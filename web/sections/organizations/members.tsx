import { Button, Group, Select, Stack, Text, Title } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import type { Organization, OrganizationMember, OrganizationRole } from '../../api/schema.d.ts'
import { PersonField } from '../../parts/fields/person-field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { isId } from '../../parts/format.ts'
import { Loading } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Status } from '../../parts/status.tsx'
import { PAGE_SIZE, Pager } from '../../parts/list/pager.tsx'
import { DataTable } from '../../parts/list/table.tsx'
import { nameOf, t } from '../../texts/text.ts'

const route = getRouteApi('/public/private/app/organizations/$slug')
const ROLES: readonly OrganizationRole[] = ['MEMBER', 'ADMIN', 'OWNER']

/** Only an owner decides who is one. */
const mayGive = (own: OrganizationRole, role: OrganizationRole): boolean =>
  own === 'OWNER' || (own === 'ADMIN' && role !== 'OWNER')

const mayManage = (own: OrganizationRole, { role, pendingRole }: OrganizationMember): boolean =>
  mayGive(own, role) && mayGive(own, pendingRole ?? role)

/** An invited person shares no name before agreeing. */
const labelOf = ({ displayName, username }: OrganizationMember): string =>
  displayName ?? username ?? t('organizations.invitedPerson')

const roleOf = ({ role, pendingRole }: OrganizationMember): string =>
  pendingRole === null
    ? nameOf(role)
    : t('organizations.roleOffered', { role: nameOf(role), offered: nameOf(pendingRole) })

type Dialog = { kind: 'invite' } | { kind: 'role' | 'remove'; member: OrganizationMember }

/** Who belongs to an organization; owners and admins invite, change and remove. */
export function Members({ organization }: { organization: Organization }) {
  const { slug, role } = organization
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/organizations/$slug' })
  const me = useMe()
  const { data, error, isPending } = $api.useQuery('get', '/organizations/{slug}/members', {
    params: { path: { slug }, query: { limit: PAGE_SIZE, offset } },
  })
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const close = () => setDialog(null)
  const canManage = role !== 'MEMBER'
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h3">
          {t('organizations.members')}
        </Title>
        {canManage && (
          <Button onClick={() => setDialog({ kind: 'invite' })}>{t('organizations.invite')}</Button>
        )}
      </Group>
      <ProblemNotice error={error} />
      {isPending && <Loading rows={3} />}
      {data && (
        <DataTable
          caption={t('organizations.members')}
          rows={data.items}
          idOf={({ userId }) => userId}
          columns={[
            { title: t('field.name'), render: labelOf },
            { title: t('organizations.role'), render: roleOf },
            { title: t('money.column.status'), render: ({ status }) => <Status value={status} /> },
            {
              title: t('organizations.manage'),
              isActions: true,
              render: member => (
                <Group gap="xs" wrap="nowrap">
                  {mayManage(role, member) && (
                    <Button size="xs" variant="default" onClick={() => setDialog({ kind: 'role', member })}>
                      {t('organizations.manage')}
                    </Button>
                  )}
                  {(mayManage(role, member) || member.userId === me?.id) && (
                    <Button size="xs" variant="default" onClick={() => setDialog({ kind: 'remove', member })}>
                      {t(member.userId === me?.id ? 'organizations.leave' : 'organizations.remove')}
                    </Button>
                  )}
                </Group>
              ),
            },
          ]}
        />
      )}
      {data && (
        <Pager
          total={data.total}
          offset={offset}
          onOffset={(next, replace) => void navigate({ search: { offset: next }, replace })}
        />
      )}
      <Invite slug={slug} own={role} opened={dialog?.kind === 'invite'} onClose={close} />
      {dialog?.kind === 'role' && (
        <ChangeRole slug={slug} own={role} member={dialog.member} onClose={close} />
      )}
      {dialog?.kind === 'remove' && (
        <Remove slug={slug} member={dialog.member} isMe={dialog.member.userId === me?.id} onClose={close} />
      )}
    </Stack>
  )
}

interface InviteProps {
  slug: string
  own: OrganizationRole
  opened: boolean
  onClose(): void
}

function Invite({ slug, own, opened, onClose }: InviteProps) {
  const [person, setPerson] = useState('')
  const [role, setRole] = useState<OrganizationRole>('MEMBER')
  return (
    <FormDialog
      title={t('organizations.invite')}
      confirm={t('organizations.invite')}
      opened={opened}
      onClose={onClose}
      onConfirm={async () => {
        await api.POST('/organizations/{slug}/members', {
          params: { path: { slug } },
          body: { ...(isId(person.trim()) ? { userId: person.trim() } : { username: person.trim() }), role },
        })
        await refreshReads('/organizations')
        setPerson('')
      }}
    >
      <PersonField
        label={t('organizations.person')}
        description={t('organizations.personHint')}
        value={person}
        onValue={setPerson}
      />
      <RoleSelect own={own} value={role} onChange={setRole} />
    </FormDialog>
  )
}

interface RoleSelectProps {
  /** The role of the person who gives one. */
  own: OrganizationRole
  value: OrganizationRole
  onChange(role: OrganizationRole): void
}

function RoleSelect({ own, value, onChange }: RoleSelectProps) {
  return (
    <Select
      label={t('organizations.role')}
      data={ROLES.filter(each => mayGive(own, each)).map(each => ({ value: each, label: nameOf(each) }))}
      value={value}
      onChange={role => onChange(ROLES.find(each => each === role) ?? value)}
      allowDeselect={false}
    />
  )
}

interface ManageProps {
  slug: string
  member: OrganizationMember
  onClose(): void
}

/** Who is only invited has no role to change: another invitation replaces the first. */
async function saveRole(
  slug: string,
  { status, userId, username }: OrganizationMember,
  role: OrganizationRole,
): Promise<void> {
  if (status === 'ACTIVE') {
    const path = { slug, userId }
    await api.PATCH('/organizations/{slug}/members/{userId}', { params: { path }, body: { role } })
    return
  }
  // By the username that the first one named, if it did: the list shows it then.
  const person = username === null ? { userId } : { username }
  await api.POST('/organizations/{slug}/members', { params: { path: { slug } }, body: { ...person, role } })
}

function ChangeRole({ slug, own, member, onClose }: ManageProps & { own: OrganizationRole }) {
  const [role, setRole] = useState<OrganizationRole>(member.role)
  return (
    <FormDialog
      title={t('organizations.manageMember', { name: labelOf(member) })}
      confirm={t('organizations.saveRole')}
      opened
      onClose={onClose}
      onConfirm={async () => {
        await saveRole(slug, member, role)
        await refreshReads('/organizations')
      }}
    >
      <RoleSelect own={own} value={role} onChange={setRole} />
    </FormDialog>
  )
}

function Remove({ slug, member, isMe, onClose }: ManageProps & { isMe: boolean }) {
  const navigate = useNavigate()
  const path = { slug, userId: member.userId }
  const confirm = t(isMe ? 'organizations.leave' : 'organizations.remove')
  return (
    <FormDialog
      title={confirm}
      confirm={confirm}
      color="red"
      opened
      onClose={onClose}
      onConfirm={async () => {
        await api.DELETE('/organizations/{slug}/members/{userId}', { params: { path } })
        await refreshReads('/organizations')
        if (isMe) await navigate({ to: '/app/organizations' })
      }}
    >
      <Text size="sm">
        {isMe ? t('organizations.leaveText') : t('organizations.removeText', { name: labelOf(member) })}
      </Text>
    </FormDialog>
  )
}
