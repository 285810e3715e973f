import { Readable } from 'node:stream'
import type { RequestContext } from '#platform/http/principal'
import type { TaskFollower } from './follow.ts'
import { asRpcError, errorOf, resultOf, type RpcId } from './rpc.ts'
import { isAtRest, type Task } from './task.ts'

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
    // The end of the stream, not of the generator: one that was never read from runs no `finally`.
    return Readable.from(textOf(follower, ctx, { id, task })).once('close', freePlace)
  } catch (error) {
    freePlace()
    throw error
  }
}

async function* textOf(
  follower: TaskFollower,
  ctx: RequestContext,
  { id, task }: { id: RpcId; task: Task },
): AsyncGenerator<string> {
  const event = (result: unknown) => `data: ${JSON.stringify(resultOf(id, result))}\n\n`
  const shown = new Set<string>()
  let begun = false
  try {
    for await (const now of follower.follow(ctx, task)) {
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
