import { Box, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { useEffect, useRef, type ReactNode } from 'react'
import { site } from '../app/page-data.ts'

interface PageProps {
  title: string
  description?: ReactNode
  /** Buttons at the right of the title. */
  actions?: ReactNode
  children?: ReactNode
  /** One narrow column in the middle: forms for visitors. */
  isNarrow?: boolean
}

let isFirst = true

/** After a navigation the focus goes to the title: screen readers read it, and Tab goes on from there. */
function useTitleFocus() {
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // A field that took the focus itself keeps it, and so does the first page.
    const isFree = document.activeElement === document.body || !document.activeElement?.closest('main')
    if (!isFirst && isFree) title.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  return title
}

/** The frame of every page: its title, one line that says what it is for, and its main actions. */
export function Page({ title, description, actions, children, isNarrow = false }: PageProps) {
  const heading = useTitleFocus()
  useDocumentTitle(`${title} · ${site.name}`)
  return (
    <Stack gap="lg" maw={isNarrow ? 460 : undefined} mx={isNarrow ? 'auto' : undefined}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box maw={720}>
          <Title order={1} size="h2" tabIndex={-1} id="page-title" ref={heading}>
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
