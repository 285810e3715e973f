import { queryClient } from './client.ts'

/** The account of this tab, once it is known. */
let mine = ''
const tabs = new BroadcastChannel('svc-account')

/** A tab that holds data of another account drops it and begins anew; that of a visitor holds none. */
function follow(id: string): void {
  if (!mine || mine === id) return
  queryClient.clear()
  location.reload()
}

tabs.addEventListener('message', ({ data }) => follow(String(data)))

/** Says in every tab who is signed in now; '' is nobody, and this tab leaves by itself then. */
export function announceAccount(id: string): void {
  tabs.postMessage(id)
  if (id) follow(id)
  mine = id
}
