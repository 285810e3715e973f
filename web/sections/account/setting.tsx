import { Box, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Panel } from '../../parts/panel.tsx'

interface SettingProps {
  title: string
  text?: string
  children: ReactNode
}

/** One subject of a page of settings: its buttons are as wide as their texts. */
export function Setting({ title, text, children }: SettingProps) {
  return (
    <Box maw={720}>
      <Panel title={title}>
        {text !== undefined && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
        <Stack gap="sm" align="flex-start">
          {children}
        </Stack>
      </Panel>
    </Box>
  )
}
