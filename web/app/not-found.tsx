import { IconMapOff } from '@tabler/icons-react'
import { Empty } from '../parts/empty.tsx'
import { ButtonLink } from '../parts/link.tsx'
import { Page } from '../parts/page.tsx'
import { t } from '../texts/text.ts'

export function NotFound() {
  return (
    <Page title={t('notFound.title')}>
      <Empty
        icon={IconMapOff}
        title={t('notFound.title')}
        text={t('notFound.text')}
        action={<ButtonLink to="/app">{t('notFound.action')}</ButtonLink>}
      />
    </Page>
  )
}
