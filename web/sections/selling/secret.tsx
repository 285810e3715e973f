import { Alert } from '@mantine/core'
import { IconKey } from '@tabler/icons-react'
import { Copy } from '../../parts/copy.tsx'
import { t } from '../../texts/text.ts'

/** A key that is shown once. */
export function Secret({ label, value }: { label: string; value: string }) {
  return (
    <Alert color="yellow" icon={<IconKey />} title={t('selling.once', { label })} maw={640} role="status">
      <Copy value={value} label={label} />
    </Alert>
  )
}
