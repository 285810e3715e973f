import { Button, Group, Modal, Radio, Stack } from '@mantine/core'
import { useState } from 'react'
import { $api, refreshReads } from '../../api/client.ts'
import type { Subscription } from '../../api/schema.d.ts'
import { date, money } from '../../parts/format.ts'
import { decimalOf, microOf } from '../../parts/micro.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'

type Invoice = Subscription['invoices'][number]
const DAY = 86_400_000

/** What a cancellation at once returns: the part of the paid month for the days that have not begun. */
function restOf(invoices: readonly Invoice[]): string {
  const now = Date.now()
  const paid = invoices.find(
    ({ status, periodEnd }) => status === 'PAID' && periodEnd !== null && Date.parse(periodEnd) > now,
  )
  if (!paid?.periodStart || !paid.periodEnd) return '0'
  const start = Date.parse(paid.periodStart)
  const days = (Date.parse(paid.periodEnd) - start) / DAY
  const begun = Math.min(Math.max(Math.floor((now - start) / DAY) + 1, 0), days)
  const micro = microOf(paid.amount)
  return decimalOf(micro - (micro * BigInt(begun)) / BigInt(Math.round(days)))
}

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
