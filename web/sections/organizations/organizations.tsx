import { Button, Card, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconBuilding } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../api/client.ts'
import { useOrganizations } from '../../api/organizations.ts'
import type { OrganizationInvitation } from '../../api/schema.d.ts'
import { Empty } from '../../parts/empty.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { TextLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { DataTable } from '../../parts/list/table.tsx'
import { When } from '../../parts/when.tsx'
import { nameOf, t } from '../../texts/text.ts'

/** The organizations of the account, and its invitations. */
export function Organizations() {
  const { data, error, refetch, isPending } = useOrganizations()
  const [isCreating, setCreating] = useState(false)
  const create = <Button onClick={() => setCreating(true)}>{t('organizations.create')}</Button>
  return (
    <Page title={t('organizations.title')} description={t('organizations.text')} actions={create}>
      <Invitations />
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={3} />}
      {data?.items.length === 0 && (
        <Empty
          icon={IconBuilding}
          title={t('organizations.empty.title')}
          text={t('organizations.empty.text')}
          action={create}
        />
      )}
      {data && data.items.length > 0 && (
        <DataTable
          caption={t('organizations.title')}
          rows={data.items}
          idOf={({ id }) => id}
          columns={[
            {
              title: t('field.name'),
              render: ({ slug, name }) => (
                <TextLink to="/app/organizations/$slug" params={{ slug }} search={{}}>
                  {name}
                </TextLink>
              ),
            },
            { title: t('organizations.role'), render: ({ role }) => nameOf(role) },
            { title: t('organizations.since'), render: ({ createdAt }) => <When at={createdAt} /> },
          ]}
        />
      )}
      <CreateOrganization opened={isCreating} onClose={() => setCreating(false)} />
    </Page>
  )
}

function Invitations() {
  const { data } = $api.useQuery('get', '/users/me/invitations', { params: { query: { limit: 100 } } })
  if (!data?.items.length) return null
  return (
    <Stack gap="xs">
      <Title order={2} size="h3">
        {t('organizations.invitations')}
      </Title>
      {data.items.map(invitation => (
        <Invitation key={invitation.slug} invitation={invitation} />
      ))}
    </Stack>
  )
}

function Invitation({ invitation: { slug, name, role } }: { invitation: OrganizationInvitation }) {
  const accept = $api.useMutation('post', '/organizations/{slug}/accept')
  const decline = $api.useMutation('post', '/organizations/{slug}/decline')
  const params = { path: { slug } }
  const onSuccess = () => void refreshReads('/organizations', '/users/me/invitations')
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Text>{t('organizations.invited', { name, role: nameOf(role) })}</Text>
        <Group gap="xs">
          <Button
            variant="default"
            loading={decline.isPending}
            onClick={() => decline.mutate({ params }, { onSuccess })}
          >
            {t('organizations.decline')}
          </Button>
          <Button loading={accept.isPending} onClick={() => accept.mutate({ params }, { onSuccess })}>
            {t('organizations.accept')}
          </Button>
        </Group>
      </Group>
      <ProblemNotice error={accept.error ?? decline.error} />
    </Card>
  )
}

/** The part of the address for a name: `Ada & Sons` becomes `ada-sons`. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, 50)
    .replace(/-$/, '')

function CreateOrganization({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [slug, setSlug] = useState<string | null>(null)
  const create = async () => {
    const { data } = await api.POST('/organizations', { body: { name, slug: slug ?? slugOf(name) } })
    await refreshReads('/organizations')
    if (data) await navigate({ to: '/app/organizations/$slug', params: { slug: data.slug }, search: {} })
  }
  return (
    <FormDialog
      title={t('organizations.create')}
      confirm={t('organizations.create')}
      opened={opened}
      onClose={onClose}
      onConfirm={create}
    >
      <TextInput
        label={t('field.name')}
        value={name}
        maxLength={100}
        onChange={event => setName(event.currentTarget.value)}
        required
        data-autofocus
      />
      <TextInput
        label={t('organizations.slug')}
        description={t('organizations.slugHint')}
        value={slug ?? slugOf(name)}
        onChange={event => setSlug(event.currentTarget.value)}
        required
      />
    </FormDialog>
  )
}
