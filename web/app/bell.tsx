import { ActionIcon, Indicator } from '@mantine/core'
import { IconBell } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { $api } from '../api/client.ts'
import { counted, t } from '../texts/text.ts'

const READ_AGAIN_MS = 60_000
const MOST_SHOWN = 99

/** Leads to the inbox, with the count of what is unread there. Pages of deals read it again with each event. */
export default function Bell() {
  const { data } = $api.useQuery(
    'get',
    '/users/me/inbox',
    { params: { query: { limit: 1 } } },
    { refetchInterval: READ_AGAIN_MS },
  )
  const unread = data?.unread ?? 0
  const label = unread > 0 ? `${t('inbox.title')}: ${counted('inbox.unread', unread)}` : t('inbox.title')
  return (
    <Indicator
      label={unread > MOST_SHOWN ? `${MOST_SHOWN}+` : unread}
      disabled={unread === 0}
      size={18}
      offset={4}
    >
      <ActionIcon
        component={Link}
        to="/app/account/notifications"
        variant="default"
        size="lg"
        aria-label={label}
      >
        <IconBell size={18} aria-hidden />
      </ActionIcon>
    </Indicator>
  )
}
