import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { t } from '../texts/text.ts'
import { ProblemNotice } from './problem-notice.tsx'

interface FormDialogProps {
  title: string
  children: ReactNode
  /** Text of the button that does it. */
  confirm: string
  color?: string
  /** Where no field comes first. */
  focusConfirm?: boolean
  opened: boolean
  onClose(): void
  /** The dialog stays open and shows the refusal if this throws. */
  onConfirm(): Promise<unknown>
}

/** A question with a few fields. */
export function FormDialog({
  title,
  children,
  confirm,
  color,
  focusConfirm = false,
  opened,
  onClose,
  onConfirm,
}: FormDialogProps) {
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const close = () => {
    setError(null)
    onClose()
  }
  // What is on its way cannot be taken back: a dialog that closes then would look as if nothing were done.
  const giveUp = () => {
    if (!isBusy) close()
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
      onClose={giveUp}
      // A click beside it would lose what is written in its fields.
      closeOnClickOutside={false}
      title={title}
      centered
      closeButtonProps={{ 'aria-label': t('action.close'), disabled: isBusy }}
    >
      <form
        onSubmit={event => {
          event.preventDefault()
          void run()
        }}
      >
        <Stack>
          {children}
          <ProblemNotice error={error} />
          <Group justify="flex-end">
            <Button variant="default" disabled={isBusy} onClick={close}>
              {t('action.cancel')}
            </Button>
            <Button type="submit" color={color} loading={isBusy} data-autofocus={focusConfirm || undefined}>
              {confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
