import { queryClient } from './client.ts'
import { sessionEnd } from './session.ts'

/** The account of this tab, once it is known. */
let mine = ''
const tabs = new BroadcastChannel('svc-account')

/** A tab that holds data of another account drops it and begins anew; that of a visitor holds none. */
function follow(id: string): void {
  if (mine && mine === id && sessionEnd.has()) return goOn()
  if (!mine || mine === id) return
  queryClient.clear()
  location.reload()
}

/** The account of this tab has signed in again in another one: what was refused here is read. */
function goOn(): void {
  sessionEnd.set(false)
  void queryClient.invalidateQueries()
}

tabs.addEventListener('message', ({ data }) => follow(String(data)))

/** Says in every tab who is signed in now; '' is nobody, and this tab leaves by itself then. */
export function announceAccount(id: string): void {
  tabs.postMessage(id)
  if (id) follow(id)
  mine = id
}
