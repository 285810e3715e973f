import { notifications } from '@mantine/notifications'
import { announceAccount } from '../api/account-tabs.ts'
import { api, queryClient } from '../api/client.ts'
import { asProblem } from '../api/problem.ts'
import { sessionEnd } from '../api/session.ts'

/** Ends the session of this browser, and leaves the console. */
export async function signOut(next = '/'): Promise<void> {
  try {
    await api.POST('/auth/logout', { body: { refreshToken: '' } })
  } catch (problem) {
    notifications.show({ message: asProblem(problem).message, color: 'red' })
    return
  }
  sessionEnd.leave()
  queryClient.clear()
  announceAccount('')
  location.assign(next)
}
