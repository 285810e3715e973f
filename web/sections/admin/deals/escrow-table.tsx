import { Stack, Text } from '@mantine/core'
import type { ComponentProps } from 'react'
import type { AdminEscrow, AdminParty } from '../../../api/schema.d.ts'
import { money } from '../../../parts/format.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Status } from '../../../parts/status.tsx'
import { When } from '../../../parts/when.tsx'
import { t } from '../../../texts/text.ts'
import { ListView } from '../../../parts/list/list-view.tsx'
import { Person } from '../parts/people.tsx'

type Props = Pick<ComponentProps<typeof ListView<AdminEscrow>>, 'read' | 'empty' | 'paging'>

/** Escrows of all accounts. */
export function EscrowTable(props: Props) {
  return (
    <ListView
      {...props}
      caption={t('admin.escrows.title')}
      idOf={({ id }) => id}
      columns={[
        {
          title: t('admin.deal'),
          render: ({ id, requestedService, disputeReason }) => (
            <Stack gap={2} maw={280}>
              <TextLink to="/app/admin/escrows/$id" params={{ id }} size="sm">
                {requestedService}
              </TextLink>
              {disputeReason && (
                <Text size="xs" c="dimmed" lineClamp={2}>
                  {disputeReason}
                </Text>
              )}
            </Stack>
          ),
        },
        { title: t('admin.buyer'), render: ({ buyer }) => <Party party={buyer} /> },
        { title: t('admin.seller'), render: ({ seller }) => <Party party={seller} /> },
        {
          title: t('admin.held'),
          align: 'right',
          render: ({ held, currency }) => money(held, currency),
        },
        { title: t('admin.state'), render: ({ status }) => <Status value={status} /> },
        { title: t('admin.since'), render: ({ createdAt }) => <When at={createdAt} /> },
      ]}
    />
  )
}

/** A party by its account, with the agent that acts for it. */
export function Party({ party: { accountId, accountName, agentName } }: { party: AdminParty }) {
  return (
    <Stack gap={0}>
      <Person id={accountId} name={accountName} />
      {agentName && (
        <Text size="xs" c="dimmed">
          {agentName}
        </Text>
      )}
    </Stack>
  )
}
