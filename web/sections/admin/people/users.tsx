import { Group, TextInput } from '@mantine/core'
import { IconSearch, IconUsers } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import { Page } from '../../../parts/page.tsx'
import { Status } from '../../../parts/status.tsx'
import { useFilterField } from '../../../parts/list/filter-field.ts'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { Filter } from '../parts/filter.tsx'
import { ListView } from '../../../parts/list/list-view.tsx'
import { Person } from '../parts/people.tsx'
import { ROLES, USER_STATES } from '../states.ts'

const route = getRouteApi('/public/private/app/admin/users')

export function Users() {
  const { offset = 0, ...filter } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/users' })
  const read = $api.useQuery('get', '/admin/users', {
    params: { query: { ...filter, offset, limit: PAGE_SIZE } },
  })
  const find = useFilterField(
    filter.search,
    search => void navigate({ search: { ...filter, search: search || undefined } }),
  )
  return (
    <Page title={t('admin.users.title')} description={t('admin.users.text')}>
      <Group align="flex-end">
        <TextInput
          label={t('admin.users.search')}
          leftSection={<IconSearch size={18} />}
          flex={1}
          miw={220}
          {...find}
        />
        <Filter
          label={t('admin.state')}
          value={filter.status}
          values={USER_STATES}
          all={t('admin.users.notDeleted')}
          onChange={status => void navigate({ search: { ...filter, status } })}
        />
        <Filter
          label={t('admin.role')}
          value={filter.role}
          values={ROLES}
          onChange={role => void navigate({ search: { ...filter, role } })}
        />
      </Group>
      <ListView
        read={read}
        caption={t('admin.users.title')}
        idOf={({ id }) => id}
        empty={{ icon: IconUsers, title: t('admin.users.empty'), text: t('admin.users.empty.text') }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { ...filter, offset: next }, replace }),
        }}
        columns={[
          { title: t('admin.name'), render: ({ id, displayName }) => <Person id={id} name={displayName} /> },
          { title: t('field.email'), render: ({ email, username }) => email || (username ?? '') },
          { title: t('admin.kind'), render: ({ userType }) => nameOf(userType) },
          { title: t('admin.role'), render: ({ role }) => nameOf(role) },
          { title: t('admin.state'), render: ({ status }) => <Status value={status} /> },
          { title: t('admin.since'), render: ({ createdAt }) => <When at={createdAt} /> },
        ]}
      />
    </Page>
  )
}
