import { PassThrough, pipeline, type Readable } from 'node:stream'
import { SECOND } from '#platform/kernel/clock'
import type { RequestContext } from '#platform/http/principal'
import type { TaskFollower } from './follow.ts'
import { asRpcError, errorOf, resultOf, type RpcId } from './rpc.ts'
import { isAtRest, type Task } from './task.ts'

/** Proxies close a connection that is silent for longer. */
const KEEP_ALIVE_MS = 15 * SECOND

interface Asked {
  id: RpcId
  /** Sends the message or reads the task that the stream begins with. */
  begin(): Promise<Task>
}

/** The events of one task as server-sent events, each a JSON-RPC answer: the task first, then what changes. */
export async function taskStream(
  follower: TaskFollower,
  ctx: RequestContext,
  { id, begin }: Asked,
): Promise<Readable> {
  const freePlace = follower.takePlace(ctx)
  try {
    const task = await begin()
    return open(closed => textOf(follower, ctx, { id, task, closed })).once('close', freePlace)
  } catch (error) {
    freePlace()
    throw error
  }
}

/** A stream that is closed, at its end or because the client left, stops what it reads from. */
function open(read: (closed: AbortSignal) => AsyncGenerator<string>): PassThrough {
  const out = new PassThrough()
  const closed = new AbortController()
  const keepAlive = setInterval(() => {
    if (out.writable && !out.writableNeedDrain) out.write(': keep-alive\n\n')
  }, KEEP_ALIVE_MS)
  out.once('close', () => {
    clearInterval(keepAlive)
    closed.abort()
  })
  // An error destroys `out`, where the HTTP server sees it.
  pipeline(read(closed.signal), out, () => undefined)
  return out
}

async function* textOf(
  follower: TaskFollower,
  ctx: RequestContext,
  { id, task, closed }: { id: RpcId; task: Task; closed: AbortSignal },
): AsyncGenerator<string> {
  const event = (result: unknown) => `data: ${JSON.stringify(resultOf(id, result))}\n\n`
  const shown = new Set<string>()
  let begun = false
  try {
    for await (const now of follower.follow(ctx, task, { closed })) {
      const artifacts = now.artifacts.filter(({ artifactId }) => !shown.has(artifactId))
      for (const { artifactId } of artifacts) shown.add(artifactId)
      const about = { taskId: now.id, contextId: now.contextId }
      if (begun)
        for (const artifact of artifacts)
          yield event({ kind: 'artifact-update', ...about, artifact, append: false, lastChunk: true })
      else yield event(now)
      // A client ends the stream at the final event: a task that is at rest from the begin has one too.
      if (begun || isAtRest(now))
        yield event({ kind: 'status-update', ...about, status: now.status, final: isAtRest(now) })
      begun = true
    }
  } catch (error) {
    yield `data: ${JSON.stringify(errorOf(id, asRpcError(error)))}\n\n`
  }
}
