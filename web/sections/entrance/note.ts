import { notifications } from '@mantine/notifications'
import { t, type TextKey } from '../../texts/text.ts'

const STORED = 'svc.note'

/** Leaves what the next page of this tab says first. */
export const leaveNote = (key: TextKey, details: readonly string[] = []): void =>
  sessionStorage.setItem(STORED, JSON.stringify({ key, details }))

/** Shows the note that the page before has left. */
export function showNote(): void {
  const stored = sessionStorage.getItem(STORED)
  if (stored === null) return
  sessionStorage.removeItem(STORED)
  const { key, details } = JSON.parse(stored) as { key: TextKey; details: string[] }
  notifications.show({ message: [t(key), ...details].join(' '), autoClose: details.length === 0 && 8000 })
}
