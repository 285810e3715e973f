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
      <Text fz={26} fw={700} lh={1.3} className="figure-value">
        {breakable(value)}
      </Text>
      {children && (
        <Text size="sm" c="dimmed">
          {children}
        </Text>
      )}
    </Card>
  )
}

/** On a narrow card the code of a currency goes below its amount. */
const breakable = (value: string): string => value.replaceAll('\u{a0}', ' ')
