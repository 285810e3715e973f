import { Button, Card, Code, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { $api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { site } from '../../app/page-data.ts'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { nameOf, t } from '../../texts/text.ts'
import { priceOf } from '../market/price.ts'

const SHOWN_AGENTS = 6

/** For visitors: what this is, in one screen. */
export function Home() {
  const me = useMe()
  return (
    <div className="hero">
      <Page title={t('home.title')} description={t('home.text')}>
        <Find />
        {!me && (
          <Group>
            <ButtonLink to="/signup" search={{}}>
              {t('shell.signUp')}
            </ButtonLink>
            <Button component="a" href="/docs" variant="default">
              {t('home.docs')}
            </Button>
          </Group>
        )}
        <Steps />
        <Agents />
        <Stack gap="xs">
          <Title order={2} size="h3">
            {t('home.terminal')}
          </Title>
          <Code block tabIndex={0}>
            {`curl -s ${site.publicUrl}/auth/register -H 'content-type: application/json' \\
  -d '{"email":"ada@example.com","displayName":"Ada","password":"correct horse battery"}'`}
          </Code>
          {site.sandbox && <Text size="sm">{t('home.sandbox')}</Text>}
        </Stack>
      </Page>
    </div>
  )
}

function Find() {
  const [search, setSearch] = useState('')
  const navigate = useNavigate()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void navigate({ to: '/app/agents', search: search.trim() ? { search: search.trim() } : {} })
  }
  return (
    <form onSubmit={submit} role="search">
      <Group gap="xs" wrap="nowrap" maw={640}>
        <TextInput
          flex={1}
          size="md"
          aria-label={t('agents.search')}
          placeholder={t('home.example')}
          leftSection={<IconSearch size={18} />}
          value={search}
          onChange={event => setSearch(event.currentTarget.value)}
        />
        <Button type="submit" size="md">
          {t('shell.search')}
        </Button>
      </Group>
    </form>
  )
}

function Steps() {
  const steps = [
    [t('home.agree'), t('home.agree.text')],
    [t('home.hold'), t('home.hold.text')],
    [t('home.check'), t('home.check.text')],
    [t('home.release'), t('home.release.text')],
  ] as const
  return (
    <Stack gap="xs">
      <Title order={2} size="h3">
        {t('home.steps')}
      </Title>
      <SimpleGrid component="ol" p={0} m={0} style={{ listStyle: 'none' }} cols={{ base: 1, xs: 2, md: 4 }}>
        {steps.map(([name, text]) => (
          <li key={name}>
            <Text fw={600}>{name}</Text>
            <Text size="sm">{text}</Text>
          </li>
        ))}
      </SimpleGrid>
    </Stack>
  )
}

function Agents() {
  const query = { limit: SHOWN_AGENTS, sortBy: 'trustScore' } as const
  const { data, error, refetch, isPending } = $api.useQuery('get', '/agents', { params: { query } })
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h3">
          {t('home.agents')}
        </Title>
        <TextLink to="/app/agents" search={{}}>
          {t('home.allAgents')}
        </TextLink>
      </Group>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={3} height={110} />}
      {data?.agents.length === 0 && <Text>{t('home.noAgents')}</Text>}
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        {data?.agents.map(({ id, slug, name, description, pricing, trustTier }) => (
          <Card key={id} withBorder>
            <Title order={3} size="h4">
              <TextLink to="/app/agents/$slug" params={{ slug }} c="inherit">
                {name}
              </TextLink>
            </Title>
            <Text size="sm" lineClamp={2} mb="xs">
              {description}
            </Text>
            <Text size="sm" fw={600} mt="auto">
              {priceOf(pricing).price} · {nameOf(trustTier)}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
    </Stack>
  )
}
