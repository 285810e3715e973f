import { ActionIcon, Code, Group, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { t } from '../texts/text.ts'

const COPIED_MS = 1000

/** A value to take elsewhere: an id, a link, a key that is shown once. */
export function Copy({ value, label }: { value: string; label: string }) {
  const { isCopied, copy } = useCopy(value)
  return (
    <Group gap={4} wrap="nowrap">
      <Code style={{ overflowWrap: 'anywhere' }}>{value}</Code>
      <Tooltip label={isCopied ? t('action.copied') : t('action.copy')}>
        <ActionIcon
          variant="subtle"
          color={isCopied ? 'teal' : 'gray'}
          onClick={copy}
          aria-label={`${t('action.copy')}: ${label}`}
        >
          {isCopied ? <IconCheck size={16} /> : <IconCopy size={16} />}
        </ActionIcon>
      </Tooltip>
    </Group>
  )
}

/** Puts a text on the clipboard; `isCopied` is true for a second after it. */
export function useCopy(text: string): { isCopied: boolean; copy(): void } {
  const [isCopied, setCopied] = useState(false)
  const timer = useRef(0)
  useEffect(() => () => window.clearTimeout(timer.current), [])
  const run = async () => {
    setCopied(await copyText(text))
    window.clearTimeout(timer.current)
    timer.current = window.setTimeout(() => setCopied(false), COPIED_MS)
  }
  return { isCopied, copy: () => void run() }
}

async function copyText(text: string): Promise<boolean> {
  if (!('clipboard' in navigator)) return copySelected(text)
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  )
}

/** `navigator.clipboard` is missing where the page came over plain http. There only a selection can be copied. */
function copySelected(text: string): boolean {
  const holder = document.createElement('pre')
  holder.textContent = text
  holder.className = 'copied-text'
  document.body.append(holder)
  const selection = getSelection()
  selection?.selectAllChildren(holder)
  const isCopied = document.execCommand('copy')
  selection?.removeAllRanges()
  holder.remove()
  return isCopied
}
