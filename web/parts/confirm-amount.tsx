import { Text, Title } from '@mantine/core'
import type { ComponentProps } from 'react'
import { FormDialog } from './form-dialog.tsx'
import { money } from './format.ts'

interface ConfirmAmountProps extends ComponentProps<typeof FormDialog> {
  amount: string | number
  currency?: string
}

/**
 * Asks before money moves, with the amount. `title` is a question: "Release the payment?"; the children say who receives
 * it and whether it can be undone.
 */
export function ConfirmAmount({ amount, currency, children, ...dialog }: ConfirmAmountProps) {
  return (
    <FormDialog {...dialog} focusConfirm>
      <Title order={3} ta="center" fz={34}>
        {money(amount, currency)}
      </Title>
      <Text component="div" size="sm">
        {children}
      </Text>
    </FormDialog>
  )
}
