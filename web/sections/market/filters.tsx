import { Button, Group, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core'
import type { AgentFacets } from '../../api/schema.d.ts'
import { site } from '../../app/page-data.ts'
import { number } from '../../parts/format.ts'
import { useFilterField } from '../../parts/list/filter-field.ts'
import { categoryName, t } from '../../texts/text.ts'
import { filterCount, wordsOf, type AgentSearch } from './search.ts'

interface FiltersProps {
  search: AgentSearch
  facets: AgentFacets | undefined
  /** Narrows the list; undefined takes a filter off. */
  onChange(changes: Partial<AgentSearch>): void
  onClear(): void
}

const LEVELS = ['20', '40', '60', '80']
/** More topics than this are found by searching. */
const TOPICS = 8

/** As the address has it: `5` for `5.0`. */
const priceOf = ({ value, validity }: HTMLInputElement): string | undefined =>
  validity.valid ? value && String(Number(value)) : undefined

export function Filters({ search, facets, onChange, onClear }: FiltersProps) {
  const chosen = wordsOf(search.capabilities)
  const price = useFilterField(
    search.maxPrice === undefined ? '' : String(search.maxPrice),
    text => onChange({ maxPrice: text === '' ? undefined : Number(text) }),
    { read: priceOf, delay: 400 },
  )
  const toggle = (capability: string) => {
    const next = chosen.includes(capability)
      ? chosen.filter(each => each !== capability)
      : [...chosen, capability]
    onChange({ capabilities: next.join(',') || undefined })
  }
  return (
    <Stack gap="lg">
      <Facet
        title={t('agents.filter.category')}
        counts={facets?.categories}
        nameOf={categoryName}
        chosen={search.category ? [search.category] : []}
        onToggle={value => onChange({ category: value === search.category ? undefined : value })}
      />
      <Facet
        title={t('agents.filter.tag')}
        counts={facets?.tags}
        chosen={search.tag ? [search.tag] : []}
        onToggle={value => onChange({ tag: value === search.tag ? undefined : value })}
      />
      <Facet
        title={t('agents.filter.capability')}
        counts={facets?.capabilities}
        chosen={chosen}
        onToggle={toggle}
      />
      <TextInput
        label={t('agents.filter.price')}
        type="number"
        min={0}
        step="any"
        rightSection={<Text size="xs">{site.currency}</Text>}
        rightSectionWidth={48}
        {...price}
      />
      <NativeSelect
        label={t('agents.filter.trust')}
        data={[{ value: '', label: t('agents.filter.anyTrust') }, ...LEVELS]}
        value={search.minReputation ? String(search.minReputation) : ''}
        onChange={event => onChange({ minReputation: Number(event.currentTarget.value) || undefined })}
      />
      <Stack gap="xs">
        <Switch
          label={t('agents.filter.verified')}
          checked={search.verified ?? false}
          onChange={event => onChange({ verified: event.currentTarget.checked || undefined })}
        />
        <Switch
          label={t('agents.filter.online')}
          checked={search.online ?? false}
          onChange={event => onChange({ online: event.currentTarget.checked || undefined })}
        />
      </Stack>
      {filterCount(search) > 0 && (
        <Button variant="default" size="xs" onClick={onClear}>
          {t('agents.filter.clear')}
        </Button>
      )}
    </Stack>
  )
}

interface FacetProps {
  title: string
  counts: { value: string; count: number }[] | undefined
  chosen: readonly string[]
  onToggle(value: string): void
  /** A value in words; as it is without it. */
  nameOf?(value: string): string
}

const asIs = (value: string): string => value

function Facet({ title, counts = [], chosen, onToggle, nameOf = asIs }: FacetProps) {
  // A chosen value stays visible where nothing has it.
  const missing = chosen
    .filter(value => !counts.some(each => each.value === value))
    .map(value => ({ value, count: 0 }))
  const shown = [...missing, ...counts.slice(0, TOPICS)]
  if (shown.length === 0) return null
  return (
    <Stack gap={6} role="group" aria-label={title}>
      <Text size="sm" fw={600}>
        {title}
      </Text>
      <Group gap={6}>
        {shown.map(({ value, count }) => {
          const isChosen = chosen.includes(value)
          return (
            <Button
              key={value}
              size="compact-xs"
              radius="xl"
              variant={isChosen ? 'filled' : 'default'}
              aria-pressed={isChosen}
              onClick={() => onToggle(value)}
            >
              {nameOf(value)} · {number(count)}
            </Button>
          )
        })}
      </Group>
    </Stack>
  )
}
