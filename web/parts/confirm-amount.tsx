import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { t } from '../texts/text.ts'
import { money } from './format.ts'
import { ProblemNotice } from './problem-notice.tsx'

interface ConfirmAmountProps {
  /** What happens, as a question: "Release the payment?" */
  title: string
  amount: string | number
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

/** Asks before money moves, with the amount. */
export function ConfirmAmount({
  title,
  amount,
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
      <Stack>
        <Title order={3} ta="center" fz={34}>
          {money(amount)}
        </Title>
        <Text component="div" size="sm">
          {children}
        </Text>
        <ProblemNotice error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {t('action.cancel')}
          </Button>
          <Button color={color} loading={isBusy} onClick={() => void run()} data-autofocus>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
