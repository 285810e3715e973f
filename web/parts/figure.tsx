import { Card, Text } from '@mantine/core'
import type { ReactNode } from 'react'

interface FigureProps {
  label: string
  value: string
  /** What belongs to it, in small print. */
  children?: ReactNode
}

/** One number that matters, large, with its name. */
export function Figure({ label, value, children }: FigureProps) {
  return (
    <Card withBorder padding="md">
      <Text c="dimmed" size="sm">
        {label}
      </Text>
      <Text fz={26} fw={700} lh={1.3}>
        {value}
      </Text>
      {children && (
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      )}
    </Card>
  )
}
