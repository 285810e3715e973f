import { Button, Stack, Text, Textarea, type ButtonProps } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState, type ReactNode } from 'react'
import { refreshReads } from '../../../api/client.ts'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { offerUndo } from '../../../app/undo.tsx'
import { t } from '../../../texts/text.ts'

interface ActionButtonProps {
  /** Text of the button that opens the dialog, and of the one that confirms. */
  label: string
  /** What it is about, for the name of a button that each row has. */
  subject?: string
  title: string
  text?: ReactNode
  amount?: string
  currency?: string
  reason?: 'required' | 'optional'
  reasonLabel?: string
  color?: string
  button?: ButtonProps
  /** More fields of the dialog. */
  children?: ReactNode
  /** What is said when it is done. */
  done: string
  /** What takes it back, where that is possible. */
  undo?: () => Promise<unknown>
  /** Its result says whether it waits for another admin. */
  onConfirm(reason: string): Promise<unknown>
}

/** Whether another admin has to approve first what was requested: nothing has happened yet. */
const isWaiting = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'approval' in result && Boolean(result.approval)

/** Draws the pages of operators anew after a write, and returns its result. */
export async function thenRefresh<T>(work: Promise<T>): Promise<T> {
  const result = await work
  await refreshReads('/admin/')
  return result
}

/** A button with a dialog that asks for confirmation and, where the API takes one, for the reason. */
export function ActionButton({
  label,
  subject,
  title,
  text,
  amount,
  currency,
  color,
  button,
  done,
  ...rest
}: ActionButtonProps) {
  const { reason: wanted, reasonLabel = t('admin.reason'), children, undo, onConfirm } = rest
  const [opened, setOpened] = useState(false)
  const [reason, setReason] = useState('')
  const confirm = async () => {
    const result = await onConfirm(reason.trim())
    setReason('')
    if (isWaiting(result)) notifications.show({ message: t('admin.waitsForAdmin'), color: 'yellow' })
    else if (undo) offerUndo(done, undo)
    else notifications.show({ message: done, color: 'green' })
  }
  const dialog = { opened, onClose: () => setOpened(false), title, confirm: label, color, onConfirm: confirm }
  const fields = (
    <Stack gap="sm">
      {text && <Text size="sm">{text}</Text>}
      {children}
      {wanted && (
        <Textarea
          label={wanted === 'required' ? reasonLabel : t('admin.optional', { field: reasonLabel })}
          required={wanted === 'required'}
          withAsterisk={false}
          value={reason}
          onChange={event => setReason(event.currentTarget.value)}
          maxLength={1000}
          autosize
          minRows={2}
          data-autofocus={!children || undefined}
        />
      )}
    </Stack>
  )
  return (
    <>
      <Button
        size="xs"
        variant="default"
        {...button}
        aria-label={subject && `${label}: ${subject}`}
        onClick={() => setOpened(true)}
      >
        {label}
      </Button>
      {amount === undefined ? (
        <FormDialog {...dialog}>{fields}</FormDialog>
      ) : (
        <ConfirmAmount {...dialog} amount={amount} currency={currency}>
          {fields}
        </ConfirmAmount>
      )}
    </>
  )
}
