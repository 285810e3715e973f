import { Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

export interface EmptyProps {
  icon: Icon
  title: string
  /** What to do next. */
  text: string
  action?: ReactNode
}

/** Shown where a list has nothing yet: what it is for and what to do next. */
export function Empty({ icon: Glyph, title, text, action }: EmptyProps) {
  return (
    <Paper withBorder p="xl" radius="md">
      <Stack align="center" gap="sm">
        <ThemeIcon size={48} radius="xl" variant="light" aria-hidden>
          <Glyph size={26} />
        </ThemeIcon>
        <Title order={2} size="h4" ta="center">
          {title}
        </Title>
        <Text c="dimmed" ta="center" maw={460}>
          {text}
        </Text>
        {action}
      </Stack>
    </Paper>
  )
}
