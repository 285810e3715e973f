import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FairQueue } from '../../kernel/collections/fair-queue.ts'

/** What a schema says of a value, or what is wrong with the schema itself. */
export interface SchemaAnswer {
  ok: boolean
  code: 'ok' | 'schema_mismatch' | 'schema_invalid' | 'schema_timeout'
  reason: string
}

/** `form`: is it a JSON Schema. `rule`: can values be checked against it. `value`: does this value fit. */
export type SchemaTask =
  | { type: 'form' | 'rule'; schema: object }
  | { type: 'value'; schema: object; value: unknown }

/** A thread says `ready` once, then for each task `compiled` where values can be checked, and its answer. */
export type FromThread = { type: 'ready' } | { type: 'compiled' } | { type: 'answer'; answer: SchemaAnswer }

/** In characters of its JSON text. */
export const SCHEMA_MAX = 64 * 1024
// An ordinary schema takes a few milliseconds; the rest is for a busy machine.
const COMPILE_MS = 600
const VALIDATE_MS = 500
const WAIT_MS = 10_000
const PLACES = 2

/**
 * Checks JSON Schemas, and values against them, in threads with a time limit: both are untrusted, and a pattern of
 * theirs must not stop the service. One account has one thread at a time.
 */
export class SchemaChecker {
  readonly #queue = new FairQueue({
    places: PLACES,
    perKey: 1,
    waiting: 128,
    waitingPerKey: 32,
    waitMs: WAIT_MS,
  })
  readonly #idle: Worker[] = []
  readonly #compileMs: number

  /** `compileMs` is how long one schema may take until values can be checked against it. */
  constructor(compileMs: number = COMPILE_MS) {
    this.#compileMs = compileMs
  }

  /** Throws `QueueFull` when too many tasks wait, of the account or in all. */
  async check(accountId: string, task: SchemaTask): Promise<SchemaAnswer> {
    if (JSON.stringify(task.schema).length > SCHEMA_MAX)
      return { ok: false, code: 'schema_invalid', reason: 'a schema must not be larger than 64 KiB' }
    return this.#queue.run(accountId, () => this.#inThread(task))
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(worker => worker.terminate()))
  }

  async #inThread(task: SchemaTask): Promise<SchemaAnswer> {
    const worker = this.#idle.pop() ?? (await this.#startThread())
    worker.ref()
    const answer = await askThread(worker, task, this.#compileMs)
    if (!answer) {
      await worker.terminate()
      return { ok: false, code: 'schema_timeout', reason: 'the check takes too long or too much memory' }
    }
    worker.unref()
    this.#idle.push(worker)
    return answer
  }

  async #startThread(): Promise<Worker> {
    const worker = new Worker(new URL('thread.ts', import.meta.url), {
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    })
    await once(worker, 'message')
    // Without a listener an error of the thread, such as a full heap, would end the process.
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      const at = this.#idle.indexOf(worker)
      if (at >= 0) this.#idle.splice(at, 1)
    })
    return worker
  }
}

/** The thread's answer; null where it came to an end or to its time limit instead. */
function askThread(worker: Worker, task: SchemaTask, compileMs: number): Promise<SchemaAnswer | null> {
  const { promise, resolve } = Promise.withResolvers<SchemaAnswer | null>()
  const giveUp = () => {
    resolve(null)
  }
  let timer = setTimeout(giveUp, compileMs)
  const hear = (message: FromThread) => {
    clearTimeout(timer)
    if (message.type === 'answer') resolve(message.answer)
    else timer = setTimeout(giveUp, VALIDATE_MS)
  }
  worker.on('message', hear).once('exit', giveUp)
  worker.postMessage(task, [])
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', hear).off('exit', giveUp)
  })
}
