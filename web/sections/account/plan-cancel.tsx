import { Button, Group, Modal, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { $api, refreshReads } from '../../api/client.ts'
import type { Subscription } from '../../api/schema.d.ts'
import { date, money } from '../../parts/format.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { restOf } from './plan-rest.ts'

/** Ends the paid plan at the end of its month, or at once. */
export function CancelPlan({ subscription: { currentPeriodEnd, invoices } }: { subscription: Subscription }) {
  const [opened, setOpened] = useState(false)
  const [when, setWhen] = useState('end')
  const cancel = $api.useMutation('post', '/subscriptions/cancel')
  const close = () => {
    setOpened(false)
    cancel.reset()
  }
  const run = () =>
    cancel.mutate(
      { body: when === 'now' ? { immediately: true } : {} },
      {
        onSuccess: () => {
          close()
          void refreshReads('/subscriptions', '/users/me', '/wallets')
        },
      },
    )
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {t('plan.cancel')}
      </Button>
      <Modal
        opened={opened}
        onClose={close}
        title={t('plan.cancelTitle')}
        centered
        closeButtonProps={{ 'aria-label': t('action.close') }}
      >
        <Stack>
          <Radio.Group value={when} onChange={setWhen} aria-label={t('plan.cancelTitle')}>
            <Stack gap="xs">
              <Radio
                value="end"
                label={
                  currentPeriodEnd === null
                    ? t('plan.cancelEndSoon')
                    : t('plan.cancelEnd', { date: date(currentPeriodEnd) })
                }
              />
              <Radio value="now" label={t('plan.cancelNow', { amount: money(restOf(invoices)) })} />
            </Stack>
          </Radio.Group>
          <ProblemNotice error={cancel.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('plan.keep')}
            </Button>
            <Button color="red" loading={cancel.isPending} onClick={run}>
              {t('plan.cancel')}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
