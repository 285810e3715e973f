import {
  ActionIcon,
  Avatar,
  Badge,
  Box,
  Burger,
  Button,
  Group,
  Image,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLanguage, IconMoon, IconSearch, IconSun } from '@tabler/icons-react'
import { Link, useRouterState } from '@tanstack/react-router'
import {
  cloneElement,
  lazy,
  Suspense,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactElement,
  type ReactNode,
} from 'react'
import { announceAccount } from '../api/account-tabs.ts'
import { useMe } from '../api/me.ts'
import { sessionEnd } from '../api/session.ts'
import { ButtonLink } from '../parts/link.tsx'
import { t } from '../texts/text.ts'
import type { MenuName } from './menus.tsx'
import { entryOf, sectionsFor } from './navigation.ts'
import { site } from './page-data.ts'
import { StepUp } from './step-up.tsx'

/** Menus, dialogs and the search are loaded when they are first wanted. */
const Search = lazy(() => import('./search.tsx'))
const LoadedMenu = lazy(() => import('./menus.tsx'))
const Bell = lazy(() => import('./bell.tsx'))
const SessionEnded = lazy(() => import('./session-ended.tsx'))

interface ShellProps {
  children: ReactNode
  /** Without the menu at the side: pages for visitors. */
  isPlain?: boolean
}

/** Header, menu and content of every page. */
export function Shell({ children, isPlain = false }: ShellProps) {
  const [isMenuOpen, { toggle, close }] = useDisclosure()
  const me = useMe()
  const path = useRouterState({ select: state => state.location.pathname })
  useEffect(close, [path, close])
  const isEnded = useSyncExternalStore(sessionEnd.watch, sessionEnd.has)
  const id = me?.id
  useEffect(() => {
    if (id) announceAccount(id)
  }, [id])
  return (
    <>
      <a className="skip" href="#page-title">
        {t('shell.skip')}
      </a>
      <header className="shell-header">
        <Group gap="sm" wrap="nowrap">
          {!isPlain && (
            <Burger
              opened={isMenuOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={t('shell.menu')}
              aria-expanded={isMenuOpen}
            />
          )}
          <Brand />
          <SandboxBadge visibleFrom="xs" />
        </Group>
        <Group gap="xs" wrap="nowrap">
          <SearchButton />
          <ColorScheme />
          {/* A narrow header is too short for it beside the button of the menu, which has it then. */}
          <LanguageMenu {...(isPlain ? {} : { visibleFrom: 'xs' })} />
          {me && (
            <Suspense fallback={<Box w={36} aria-busy />}>
              <Bell />
            </Suspense>
          )}
          <AccountMenu />
        </Group>
      </header>
      <div className="shell-body" data-open={isMenuOpen || undefined}>
        {!isPlain && <Navigation path={path} />}
        <main className="shell-main">
          <div className="shell-page">
            {isEnded && (
              <Suspense>
                <SessionEnded />
              </Suspense>
            )}
            {children}
          </div>
        </main>
      </div>
      <StepUp />
    </>
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
  const current = entryOf(path)
  const menu = useRef<HTMLElement>(null)
  // The menu of an admin is longer than most screens.
  useEffect(() => {
    menu.current?.querySelector('[data-active]')?.scrollIntoView({ block: 'nearest' })
  }, [current, me])
  return (
    <nav ref={menu} className="shell-menu" aria-label={t('shell.menu')}>
      <Group hiddenFrom="xs" px="sm" mb="sm">
        <LanguageMenu />
        <SandboxBadge />
      </Group>
      {sectionsFor(me ?? null).map(({ label, entries }) => (
        <div key={label} className="shell-section">
          <Text size="xs" fw={600} c="dimmed" px="sm" mb={4}>
            {t(label)}
          </Text>
          {entries.map(({ label: text, to, icon: Glyph }) => (
            <Link
              key={to}
              to={to}
              className="shell-entry"
              data-active={to === current || undefined}
              aria-current={path === to ? 'page' : undefined}
            >
              <Suspense fallback={<span className="shell-icon" />}>
                <Glyph size={18} stroke={1.6} aria-hidden />
              </Suspense>
              {t(text)}
            </Link>
          ))}
        </div>
      ))}
    </nav>
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
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
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

interface MenuButtonProps {
  name: MenuName
  /** The button that opens the menu. */
  children: ReactElement<{ onClick?: () => void; 'aria-haspopup'?: 'menu' }>
}

function MenuButton({ name, children }: MenuButtonProps) {
  const [wanted, setWanted] = useState(false)
  const button = cloneElement(children, { onClick: () => setWanted(true), 'aria-haspopup': 'menu' })
  return wanted ? (
    <Suspense fallback={button}>
      <LoadedMenu name={name} target={children} />
    </Suspense>
  ) : (
    button
  )
}

/** Where it shows: on any screen, or not on a narrow one. */
interface Shown {
  visibleFrom?: 'xs'
}

const SandboxBadge = (shown: Shown) =>
  site.sandbox && (
    <Badge variant="light" color="yellow" autoContrast title={t('shell.sandbox.hint')} {...shown}>
      {t('shell.sandbox')}
    </Badge>
  )

const LanguageMenu = (shown: Shown) => (
  <MenuButton name="language">
    <ActionIcon variant="default" size="lg" aria-label={t('shell.language')} {...shown}>
      <IconLanguage size={18} />
    </ActionIcon>
  </MenuButton>
)

/** A sign-in returns to the page that it started on, except to the sign-in pages themselves. */
const nextOf = (href: string): { next?: string } => (/^\/(app|claim)\b/.test(href) ? { next: href } : {})

function AccountMenu() {
  const me = useMe()
  const here = useRouterState({ select: state => state.location.href })
  if (me === null)
    return (
      <Group gap="xs" wrap="nowrap">
        <ButtonLink to="/login" search={nextOf(here)} variant="default" size="sm">
          {t('shell.signIn')}
        </ButtonLink>
        <ButtonLink to="/signup" search={nextOf(here)} size="sm" visibleFrom="sm">
          {t('shell.signUp')}
        </ButtonLink>
      </Group>
    )
  return (
    <MenuButton name="account">
      <Button variant="subtle" px={6} aria-label={t('shell.account')}>
        <Avatar size={30} radius="xl" color="green" aria-hidden />
      </Button>
    </MenuButton>
  )
}
