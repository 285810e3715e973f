import { IconLock } from '@tabler/icons-react'
import { Outlet } from '@tanstack/react-router'
import { useMe } from '../../../api/me.ts'
import { Empty } from '../../../parts/empty.tsx'
import { ButtonLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { t } from '../../../texts/text.ts'

/** Lets admins pass, and shows to everybody else that the page is not theirs. The server refuses them whatever the page shows. */
export function Gate() {
  const me = useMe()
  if (me?.role === 'ADMIN') return <Outlet />
  if (me === undefined) return <Loading />
  return (
    <Page title={t('admin.denied.title')}>
      <Empty
        icon={IconLock}
        title={t('admin.denied.heading')}
        text={t('admin.denied.text')}
        action={<ButtonLink to="/app">{t('admin.denied.action')}</ButtonLink>}
      />
    </Page>
  )
}
