import {
  Spotlight,
  spotlight,
  type SpotlightActionData,
  type SpotlightActionGroupData,
  type SpotlightFilterFunction,
} from '@mantine/spotlight'
import '@mantine/spotlight/styles.css'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useState } from 'react'
import { $api } from '../api/client.ts'
import { useMe } from '../api/me.ts'
import { t } from '../texts/text.ts'
import { sectionsFor } from './navigation.ts'

/** `Cmd-K`: goes to any page of the console, and to agents by their name. */
export default function Search({ onClosed }: { onClosed(): void }) {
  const me = useMe()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const { data } = $api.useQuery(
    'get',
    '/agents',
    { params: { query: { search: text, limit: 6 } } },
    { enabled: text.trim().length > 1 },
  )
  useEffect(() => spotlight.open(), [])
  const pages: SpotlightActionData[] = sectionsFor(me ?? null).flatMap(({ label, entries }) =>
    entries.map(({ label: name, to, icon: Glyph }) => ({
      id: to,
      label: t(name),
      description: t(label),
      leftSection: (
        <Suspense>
          <Glyph size={18} aria-hidden />
        </Suspense>
      ),
      onClick: () => void navigate({ to }),
    })),
  )
  const agents: SpotlightActionData[] = (data?.agents ?? []).map(({ slug, name, description }) => ({
    id: slug,
    label: name,
    description: description.slice(0, 80),
    onClick: () => void navigate({ to: '/app/agents/$slug', params: { slug } }),
  }))
  return (
    <Spotlight
      actions={[
        { group: t('search.pages'), actions: pages },
        { group: t('search.agents'), actions: agents },
      ]}
      query={text}
      onQueryChange={setText}
      onSpotlightClose={onClosed}
      filter={matching}
      nothingFound={t('search.nothing')}
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: t('search.placeholder'),
        onKeyDown: ({ key }) => key === 'Enter' && openFirst(),
        'aria-label': t('search.placeholder'),
      }}
    />
  )
}

/** Agents come after the pages, when the library has chosen its first entry: without one, Enter opens the first. */
function openFirst(): void {
  if (document.querySelector('[data-action][data-selected]')) return
  document.querySelector<HTMLElement>('[data-action]')?.click()
}

const isGroup = (entry: SpotlightActionData | SpotlightActionGroupData): entry is SpotlightActionGroupData =>
  'actions' in entry

/** Pages by their name; the server has searched for the agents already. */
const matching: SpotlightFilterFunction = (query, entries) =>
  entries
    .filter(isGroup)
    .map(({ group, actions }) => ({
      group,
      actions: actions.filter(
        ({ label = '' }) => group === t('search.agents') || label.toLowerCase().includes(query.toLowerCase()),
      ),
    }))
    .filter(({ actions }) => actions.length > 0)
