import { Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import { pageData } from '../../../app/page-data.ts'
import { t } from '../../../texts/text.ts'
import { enter } from '../enter.ts'
import { NewAccountForm } from '../sign-up-form.tsx'
import { GoneLink, LinkPage } from './link-page.tsx'

const route = getRouteApi('/plain/setup/$token')

/** The first account of the server, by the link that the terminal shows. */
export function Setup() {
  const { token } = route.useParams()
  const setUp = $api.useMutation('post', '/auth/setup')
  const { link } = pageData
  if (link?.kind !== 'setup' || link.state !== 'good')
    return (
      <GoneLink why={t('setup.gone')}>
        <Text size="sm">{t('setup.goneNext')}</Text>
      </GoneLink>
    )
  return (
    <LinkPage title={t('setup.title')}>
      <Text>{t('setup.text')}</Text>
      <NewAccountForm
        submit={t('setup.submit')}
        create={async account => {
          const { warnings } = await setUp.mutateAsync({ body: { ...account, token } })
          enter('/app', 'setup.done', warnings)
        }}
      />
    </LinkPage>
  )
}
