import type { WorkWatch } from '#ap2'
import { apiError, COMMON } from '#platform/kernel/errors'
import type { RequestContext } from '#platform/http/principal'
import type { EventRow } from '../events/sql.ts'
import type { AgentHub } from './agent-hub.ts'
import type { Reader } from './hub.ts'

/** Opens a watch for a request that waits for the first event of an agent. */
export async function openWatch(
  hub: AgentHub,
  { ctx, agentId }: { ctx: RequestContext; agentId: string },
): Promise<WorkWatch> {
  const after = await hub.newest()
  let state: 'waiting' | 'changed' | 'stopped' | 'revoked' = 'waiting'
  let wake = (): void => undefined
  const enter = (next: typeof state) => {
    state = next
    wake()
  }
  const reader: Reader<EventRow> = {
    ctx,
    principal: ctx.principal,
    subjectId: agentId,
    after,
    isReady: () => true,
    deliver: () => enter('changed'),
    end: enter,
  }
  hub.add(reader)
  return {
    close: () => hub.remove(reader),
    async next(ms, signal) {
      if (state === 'waiting' && !signal.aborted) await waitFor(ms, signal, resolve => (wake = resolve))
      if (state === 'revoked') throw apiError(COMMON.UNAUTHORIZED, { hint: 'The credential has ended' })
      const isChanged = state === 'changed'
      if (isChanged) state = 'waiting'
      return isChanged
    },
  }
}

function waitFor(ms: number, signal: AbortSignal, onWake: (resolve: () => void) => void): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
    onWake(done)
  })
}
