import { Group, Paper, Stack, Title } from '@mantine/core'
import { useId } from '@mantine/hooks'
import type { ReactNode } from 'react'

interface PanelProps {
  title: string
  /** Buttons or a state at the right of the title. */
  actions?: ReactNode
  children: ReactNode
}

/** One part of a page, with its heading. */
export function Panel({ title, actions, children }: PanelProps) {
  const id = useId()
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="section" aria-labelledby={id}>
      <Group justify="space-between" mb="md" gap="xs">
        <Title order={2} size="h4" id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      <Stack gap="sm">{children}</Stack>
    </Paper>
  )
}
