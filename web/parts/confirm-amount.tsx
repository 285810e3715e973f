import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { t } from '../texts/text.ts'
import { money } from './format.ts'
import { ProblemNotice } from './problem-notice.tsx'

interface ConfirmAmountProps {
  /** What happens, as a question: "Release the payment?" */
  title: string
  /** Left out where no money moves. */
  amount?: string | number
  currency?: string
  /** Who receives it, and whether it can be undone. */
  children: ReactNode
  /** Text of the button that does it. */
  confirm: string
  color?: string
  opened: boolean
  onClose(): void
  /** The dialog stays open and shows the refusal if this throws. */
  onConfirm(): Promise<unknown>
}

/** Asks before money moves, with the amount. Fields among the children are checked before it happens. */
export function ConfirmAmount({
  title,
  amount,
  currency,
  children,
  confirm,
  color,
  opened,
  onClose,
  onConfirm,
}: ConfirmAmountProps) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const close = () => {
    setError(null)
    onClose()
  }
  const run = async () => {
    setBusy(true)
    setError(null)
    try {
      await onConfirm()
      close()
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <Stack
        component="form"
        onSubmit={event => {
          event.preventDefault()
          void run()
        }}
      >
        {amount !== undefined && (
          <Text ta="center" fz={34} fw={650} lh={1.2}>
            {money(amount, currency)}
          </Text>
        )}
        <Text component="div" size="sm">
          {children}
        </Text>
        <ProblemNotice error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('action.cancel')}
          </Button>
          <Button type="submit" color={color} loading={isBusy} data-autofocus>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
