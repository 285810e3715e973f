import { Alert, Stack, Text } from '@mantine/core'
import { Copy } from '../../parts/copy.tsx'
import { t } from '../../texts/text.ts'

interface ShownKeyProps {
  /** A key that was just made; nothing without it. */
  value: string | null
  /** What else there is to know about it. */
  note?: string
  onClose(): void
}

/** A new key: the API gives it this once. */
export function ShownKey({ value, note, onClose }: ShownKeyProps) {
  if (!value) return null
  return (
    <Alert
      color="green"
      role="status"
      title={t('developer.key.made')}
      withCloseButton
      closeButtonLabel={t('action.close')}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">{t('developer.key.once')}</Text>
        <Copy value={value} label={t('developer.key')} />
        {note && <Text size="sm">{note}</Text>}
      </Stack>
    </Alert>
  )
}
