import { Switch, Table, Text, VisuallyHidden } from '@mantine/core'
import { $api, refreshReads } from '../../api/client.ts'
import type { NotificationPreferences } from '../../api/schema.d.ts'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { Inbox } from './inbox.tsx'
import { Setting } from './setting.tsx'

const KINDS = ['offers', 'requests', 'runs', 'progress', 'deadlines', 'money'] as const
const CHANNELS = ['inApp', 'email', 'webhook'] as const
type Kind = (typeof KINDS)[number]
type Channel = (typeof CHANNELS)[number]

/** What happened, and where the account wants to see what. */
export function NotificationSettings() {
  return (
    <Page title={t('notify.title')} description={t('notify.text')}>
      <Inbox />
      <Preferences />
    </Page>
  )
}

function Preferences() {
  const { data, error, refetch } = $api.useQuery('get', '/users/me/notifications')
  const change = $api.useMutation('patch', '/users/me/notifications', {
    onSettled: () => refreshReads('/users/me/'),
  })
  // The switch shows the choice while it is sent, and the stored one again if it is refused.
  const wanted = data && change.isPending ? withChoice(data, change.variables?.body ?? {}) : data
  const choose = (kind: Kind, channel: Channel, isOn: boolean) =>
    change.mutate({ body: { [kind]: { [channel]: isOn } } })
  return (
    <Setting title={t('notify.channels')} text={t('notify.channelsText')}>
      <ProblemNotice error={error ?? change.error} retry={error ? () => void refetch() : undefined} />
      {!data && !error && <Loading rows={3} />}
      {wanted && <ChannelTable wanted={wanted} onChoose={choose} />}
      <Text size="sm" c="dimmed">
        {t('notify.moneyText')}
      </Text>
    </Setting>
  )
}

type Choice = Partial<Record<Kind, Partial<Record<Channel, boolean>>>>

function withChoice(stored: NotificationPreferences, choice: Choice): NotificationPreferences {
  const wanted = structuredClone(stored)
  for (const kind of KINDS) Object.assign(wanted[kind], choice[kind])
  return wanted
}

interface ChannelTableProps {
  wanted: NotificationPreferences
  onChoose(kind: Kind, channel: Channel, isOn: boolean): void
}

function ChannelTable({ wanted, onChoose }: ChannelTableProps) {
  return (
    <Table verticalSpacing="sm" horizontalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>
            <VisuallyHidden>{t('notify.kind')}</VisuallyHidden>
          </Table.Th>
          {CHANNELS.map(channel => (
            <Table.Th key={channel}>{t(`notify.${channel}`)}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {KINDS.map(kind => (
          <Table.Tr key={kind}>
            <Table.Td>{t(`notify.${kind}`)}</Table.Td>
            {CHANNELS.map(channel => (
              <Table.Td key={channel}>
                <Switch
                  aria-label={`${t(`notify.${kind}`)}: ${t(`notify.${channel}`)}`}
                  checked={wanted[kind][channel]}
                  disabled={kind === 'money' && channel === 'email'}
                  onChange={event => onChoose(kind, channel, event.currentTarget.checked)}
                />
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
