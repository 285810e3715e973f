import { Box, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { site } from '../app/page-data.ts'

interface PageProps {
  title: string
  description?: ReactNode
  /** Buttons at the right of the title. */
  actions?: ReactNode
  children?: ReactNode
}

/** The frame of every page: its title, one line that says what it is for, and its main actions. */
export function Page({ title, description, actions, children }: PageProps) {
  useDocumentTitle(`${title} · ${site.name}`)
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box maw={720}>
          <Title order={1} size="h2" tabIndex={-1} id="page-title">
            {title}
          </Title>
          {description && <Text c="dimmed">{description}</Text>}
        </Box>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}

/** Takes the place of content that is on its way. */
export function Loading({ rows = 5, height = 44 }: { rows?: number; height?: number }) {
  return (
    <Stack gap="xs" aria-busy="true">
      {Array.from({ length: rows }, (_, at) => (
        <Skeleton key={at} height={height} radius="md" />
      ))}
    </Stack>
  )
}
