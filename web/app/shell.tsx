import {
  ActionIcon,
  AppShell,
  Avatar,
  Badge,
  Box,
  Burger,
  Button,
  Group,
  Image,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLanguage, IconLogout, IconMoon, IconSearch, IconSun } from '@tabler/icons-react'
import { Link, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState, type ReactNode } from 'react'
import { api, queryClient } from '../api/client.ts'
import { useMe } from '../api/me.ts'
import { ButtonLink } from '../parts/link.tsx'
import { chooseLanguage, LANGUAGES, t, type Language } from '../texts/text.ts'
import { sectionsFor } from './navigation.ts'
import { site } from './page-data.ts'
import { StepUpDialog } from './step-up-dialog.tsx'

/** The commands behind `Cmd-K` are loaded when they are first wanted. */
const Search = lazy(() => import('./search.tsx'))

/** Header, menu and content of every page. */
export function Shell({ children }: { children: ReactNode }) {
  const [isMenuOpen, { toggle, close }] = useDisclosure()
  const path = useRouterState({ select: state => state.location.pathname })
  useEffect(close, [path, close])
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: 'md', collapsed: { mobile: !isMenuOpen } }}
      padding={{ base: 'md', md: 'xl' }}
    >
      <a className="skip" href="#page-title">
        {t('shell.skip')}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger
              opened={isMenuOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={t('shell.menu')}
            />
            <Brand />
            {site.sandbox && (
              <Badge
                variant="light"
                color="yellow"
                visibleFrom="xs"
                autoContrast
                title={t('shell.sandbox.hint')}
              >
                {t('shell.sandbox')}
              </Badge>
            )}
          </Group>
          <Group gap="xs" wrap="nowrap">
            <SearchButton />
            <ColorScheme />
            <LanguageMenu />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar>
        <Navigation path={path} />
      </AppShell.Navbar>
      <AppShell.Main>
        <Box maw={1120} mx="auto">
          {children}
        </Box>
      </AppShell.Main>
      <StepUpDialog />
    </AppShell>
  )
}

function Brand() {
  return (
    <Link to="/" className="brand">
      {site.logoUrl ? (
        <Image src={site.logoUrl} alt={site.name} h={28} w="auto" />
      ) : (
        <Text fw={700}>{site.name}</Text>
      )}
    </Link>
  )
}

function Navigation({ path }: { path: string }) {
  const me = useMe()
  return (
    <ScrollArea p="sm" component="nav" aria-label={t('shell.menu')} viewportProps={{ tabIndex: -1 }}>
      {sectionsFor(me ?? null).map(({ label, entries }) => (
        <Box key={label} mb="md">
          <Text size="xs" fw={600} c="dimmed" px="sm" mb={4}>
            {t(label)}
          </Text>
          {entries.map(({ label: text, to, icon: Glyph }) => (
            <NavLink
              key={to}
              component={Link}
              to={to}
              label={t(text)}
              leftSection={<Glyph size={18} stroke={1.6} aria-hidden />}
              active={path === to || path.startsWith(`${to}/`)}
              aria-current={path === to ? 'page' : undefined}
              variant="light"
            />
          ))}
        </Box>
      ))}
    </ScrollArea>
  )
}

function SearchButton() {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (!wanted && event.key === 'k' && (event.metaKey || event.ctrlKey)) {
        event.preventDefault()
        setWanted(true)
      }
    }
    document.addEventListener('keydown', open)
    return () => document.removeEventListener('keydown', open)
  }, [wanted])
  return (
    <>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={t('shell.search')}
        title="Ctrl K"
        onClick={() => setWanted(true)}
      >
        <IconSearch size={18} />
      </ActionIcon>
      {wanted && (
        <Suspense>
          <Search onClosed={() => setWanted(false)} />
        </Suspense>
      )}
    </>
  )
}

function ColorScheme() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const isDark = colorScheme === 'dark'
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={t(isDark ? 'shell.light' : 'shell.dark')}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  )
}

function LanguageMenu() {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon variant="default" size="lg" aria-label={t('shell.language')} visibleFrom="xs">
          <IconLanguage size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {Object.entries(LANGUAGES).map(([code, name]) => (
          <Menu.Item key={code} lang={code} onClick={() => chooseLanguage(code as Language)}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}

async function signOut(): Promise<void> {
  await api.POST('/auth/logout', { body: { refreshToken: '' } })
  queryClient.clear()
  location.assign('/')
}

function AccountMenu() {
  const me = useMe()
  if (me === null)
    return (
      <Group gap="xs" wrap="nowrap">
        <ButtonLink to="/login" search={{}} variant="default" size="sm">
          {t('shell.signIn')}
        </ButtonLink>
        <ButtonLink to="/signup" size="sm" visibleFrom="sm">
          {t('shell.signUp')}
        </ButtonLink>
      </Group>
    )
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <Button variant="subtle" px={6} aria-label={t('shell.account')}>
          <Avatar name={me?.displayName} size={30} radius="xl" color="green" aria-hidden />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{me?.displayName}</Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          {t('shell.signOut')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
