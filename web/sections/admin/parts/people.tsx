import { Text } from '@mantine/core'
import { $api } from '../../../api/client.ts'
import { TextLink } from '../../../parts/link.tsx'
import { t } from '../../../texts/text.ts'

export type Names = ReadonlyMap<string, string>

/** The names of accounts that a list mentions, in one request for the whole list. */
export function useNames(ids: readonly (string | null | undefined)[]): Names {
  const wanted = [...new Set(ids.filter(id => typeof id === 'string'))].sort().slice(0, 100)
  const { data } = $api.useQuery(
    'get',
    '/admin/users',
    { params: { query: { ids: wanted.join(','), limit: 100 } } },
    { enabled: wanted.length > 0 },
  )
  return new Map(data?.items.map(({ id, displayName }) => [id, displayName]))
}

/** An account by its name, with a link to its page. */
export function Person({ id, name }: { id: string; name: string | undefined }) {
  return (
    <TextLink to="/app/admin/users/$id" params={{ id }} size="sm">
      {name === '' ? t('admin.deletedAccount') : (name ?? id.slice(0, 8))}
    </TextLink>
  )
}

/** The same where there may be none: the service itself. */
export function MaybePerson({ id, names }: { id: string | null; names: Names }) {
  return id && names.has(id) ? (
    <Person id={id} name={names.get(id)} />
  ) : (
    <Text size="sm">{id === null ? t('admin.noAccount') : id.slice(0, 8)}</Text>
  )
}
