import { Badge, Checkbox, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconSearch, IconSettings } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import { Page } from '../../../parts/page.tsx'
import germanUrl from '../../../texts/settings.de.json?url'
import { language, t, type Language } from '../../../texts/text.ts'
import { ListView } from '../../../parts/list/list-view.tsx'

/** What the settings are for, by their names, in languages other than that of the API. */
const URLS: Partial<Record<Language, string>> = { de: germanUrl }

/** Until the texts are loaded, and for a setting that they lack, the description of the API. */
function useDescriptions() {
  const url = URLS[language]
  const { data } = useQuery({
    queryKey: ['descriptions of settings', url],
    queryFn: async () => (await (await fetch(url ?? '')).json()) as Readonly<Record<string, string>>,
    enabled: url !== undefined,
    staleTime: Infinity,
  })
  return ({ name, description }: { name: string; description: string }): string => data?.[name] ?? description
}

/** The settings and limits in force; they change with the environment and a restart. */
export function Settings() {
  const { data, ...read } = $api.useQuery('get', '/admin/settings')
  const [search, setSearch] = useState('')
  const [isChangedOnly, setChangedOnly] = useState(false)
  const describe = useDescriptions()
  const words = search.toLowerCase()
  const items = data?.items
    .map(item => ({ ...item, description: describe(item) }))
    .filter(
      ({ name, description, isDefault }) =>
        !(isChangedOnly && isDefault) && `${name} ${description}`.toLowerCase().includes(words),
    )
  return (
    <Page title={t('admin.settings.title')} description={t('admin.settings.text')}>
      <Group align="flex-end">
        <TextInput
          label={t('admin.settings.search')}
          leftSection={<IconSearch size={18} />}
          value={search}
          onChange={event => setSearch(event.currentTarget.value)}
          flex={1}
          miw={220}
        />
        <Checkbox
          label={t('admin.settings.changed')}
          checked={isChangedOnly}
          onChange={event => setChangedOnly(event.currentTarget.checked)}
          pb={8}
        />
      </Group>
      <ListView
        read={{ ...read, data: items && { items, total: items.length } }}
        caption={t('admin.settings.title')}
        idOf={({ name }) => name}
        empty={{ icon: IconSettings, title: t('admin.settings.empty'), text: t('agents.empty.text') }}
        columns={[
          {
            title: t('admin.setting'),
            render: ({ name, description }) => (
              <Stack gap={2} maw={560}>
                <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {name}
                </Text>
                <Text size="xs" c="dimmed">
                  {description}
                </Text>
              </Stack>
            ),
          },
          {
            title: t('admin.value'),
            render: ({ value, isSecret, isSet }) =>
              value === null ? (
                <Text size="sm" c="dimmed">
                  {t(isSecret && isSet ? 'admin.settings.secret' : 'admin.settings.unset')}
                </Text>
              ) : (
                <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
              ),
          },
          {
            title: t('admin.settings.source'),
            render: ({ isDefault }) => (
              <Badge variant="light" color={isDefault ? 'gray' : 'blue'} autoContrast tt="none">
                {t(isDefault ? 'admin.settings.default' : 'admin.settings.own')}
              </Badge>
            ),
          },
        ]}
      />
    </Page>
  )
}
