import { Stack, Switch } from '@mantine/core'
import { $api, refreshReads } from '../../api/client.ts'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { Setting } from './setting.tsx'

const KINDS = ['offers', 'progress', 'deadlines'] as const

/** Which mails about deals the account gets. */
export function NotificationSettings() {
  const { data, error, refetch } = $api.useQuery('get', '/users/me/notifications')
  const change = $api.useMutation('patch', '/users/me/notifications', {
    onSettled: () => refreshReads('/users/me/notifications'),
  })
  return (
    <Page title={t('mails.title')} description={t('mails.text')}>
      <ProblemNotice error={error ?? change.error} retry={error ? () => void refetch() : undefined} />
      {!data && !error && <Loading rows={3} />}
      {data && (
        <Setting title={t('mails.deals')}>
          <Stack>
            {KINDS.map(kind => (
              <Switch
                key={kind}
                label={t(`mails.${kind}`)}
                // Shows at once what was chosen; a refusal brings the old choice back.
                checked={(change.isPending ? change.variables?.body?.[kind] : undefined) ?? data[kind]}
                onChange={event => change.mutate({ body: { [kind]: event.currentTarget.checked } })}
              />
            ))}
            <Switch label={t('mails.money')} checked disabled description={t('mails.moneyText')} />
          </Stack>
        </Setting>
      )}
    </Page>
  )
}
