import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import type { Execution } from '../../../api/schema.d.ts'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { t } from '../../../texts/text.ts'

const ACTIONS = ['approve', 'reject', 'cancel'] as const
type Action = (typeof ACTIONS)[number]

/** What the buyer may still decide about a run. */
export function RunActions({ run: { id, price, currency, allowedActions } }: { run: Execution }) {
  const [asked, setAsked] = useState<Action | null>(null)
  const approve = $api.useMutation('post', '/agents/my-runs/{id}/approve')
  const reject = $api.useMutation('post', '/agents/my-runs/{id}/reject')
  const cancel = $api.useMutation('post', '/agents/my-runs/{id}/cancel')
  const decide = { approve, reject, cancel }
  // To reject it is to cancel it.
  const open = ACTIONS.filter(
    action => allowedActions.includes(action) && !(action === 'cancel' && allowedActions.includes('reject')),
  )
  if (!open.length) return null
  return (
    <Group gap="xs">
      {open.map(action => (
        <Button
          key={action}
          size="xs"
          variant={action === 'approve' ? 'filled' : 'default'}
          onClick={() => setAsked(action)}
        >
          {t(`selling.run.${action}`)}
        </Button>
      ))}
      <ConfirmAmount
        title={t(`selling.run.${asked ?? 'approve'}.title`)}
        amount={price}
        currency={currency}
        confirm={t(`selling.run.${asked ?? 'approve'}`)}
        opened={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          if (asked) await decide[asked].mutateAsync({ params: { path: { id } } })
          void refreshReads('/agents/my-runs', '/wallets')
        }}
      >
        {t(`selling.run.${asked ?? 'approve'}.text`)}
      </ConfirmAmount>
    </Group>
  )
}
