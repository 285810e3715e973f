import { api, queryClient } from '../api/client.ts'

/** Ends the session of this browser, and leaves the console. */
export async function signOut(next = '/'): Promise<void> {
  await api.POST('/auth/logout', { body: { refreshToken: '' } })
  queryClient.clear()
  location.assign(next)
}
