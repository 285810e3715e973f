import { Menu } from '@mantine/core'
import { IconLogout, IconUserCog } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState, type ReactElement } from 'react'
import { useMe } from '../api/me.ts'
import { chooseLanguage, LANGUAGES, t, type Language } from '../texts/text.ts'
import { signOut } from './sign-out.ts'

export type MenuName = 'language' | 'account'

/** A menu of the header, open from the start: the press that loaded it asked for it. */
export default function LoadedMenu({ name, target }: { name: MenuName; target: ReactElement }) {
  const [opened, setOpened] = useState(false)
  const place = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    // The button is another element now: it gets the focus back, and with it the menu when it closes.
    place.current?.querySelector('button')?.focus()
    setOpened(true)
  }, [])
  return (
    <span ref={place}>
      <Menu opened={opened} onChange={setOpened} position="bottom-end" width={220}>
        <Menu.Target>{target}</Menu.Target>
        <Menu.Dropdown>{name === 'account' ? <AccountItems /> : <LanguageItems />}</Menu.Dropdown>
      </Menu>
    </span>
  )
}

const LanguageItems = () =>
  Object.entries(LANGUAGES).map(([code, name]) => (
    <Menu.Item key={code} lang={code} onClick={() => chooseLanguage(code as Language)}>
      {name}
    </Menu.Item>
  ))

function AccountItems() {
  const me = useMe()
  return (
    <>
      <Menu.Label>{me?.displayName}</Menu.Label>
      <Menu.Item component={Link} to="/app/account" leftSection={<IconUserCog size={16} />}>
        {t('nav.profile')}
      </Menu.Item>
      <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
        {t('shell.signOut')}
      </Menu.Item>
    </>
  )
}
