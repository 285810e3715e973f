import { queryClient } from '../../api/client.ts'
import type { TextKey } from '../../texts/text.ts'
import { leaveNote } from './note.ts'

const HOME = '/app'

/** The page to go to after a sign-in: a path of this site, else the overview. */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !URL.canParse(next, location.origin)) return HOME
  const { origin, pathname, search, hash } = new URL(next, location.origin)
  // The path alone, so that the browser reads no other host in it.
  return origin === location.origin && !pathname.startsWith('//') ? pathname + search + hash : HOME
}

/** Goes on as the account that has just signed in. `note` is what the next page says first, with `details` of the API. */
export function enter(next?: string, note?: TextKey, details: readonly string[] = []): void {
  queryClient.clear()
  if (note) leaveNote(note, details)
  // Loaded anew, so that nothing of another account stays in memory, and without a way back to a link that was used.
  location.replace(safeNext(next))
}
