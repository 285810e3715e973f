import { randomBytes } from 'node:crypto'
import { fetchThrough, FetchFailed, type GuardedAnswer } from '#platform/adapters/egress/fetch'
import { EgressRefused, type Dialer } from '#platform/adapters/egress/dialer'
import { signWebhook } from '#platform/http/webhook-signature'
import { newId } from '#platform/kernel/id'
import type { Task } from './suites/task.ts'

const MAX_ANSWER_BYTES = 256 * 1024
const BURST = 5
const LATE_SECONDS = 3600

/** Where a task goes, and how it is signed. */
export interface Receiver {
  dialer: Dialer
  endpoint: string
  secrets: readonly [string, ...string[]]
  taskSeconds: number
}

export interface Envelope {
  runId: string
  suite: string
  /** The place of the task in the run, from 0. */
  task: number
}

/** Sends one task to the agent in the way that the task asks for; returns why it was not passed, or null. Never throws. */
export async function perform(task: Task, about: Envelope, to: Receiver): Promise<string | null> {
  try {
    switch (task.exchange ?? 'once') {
      case 'burst':
        return firstReason(await Promise.all(Array.from({ length: BURST }, () => ask(task, about, to))))
      case 'twice': {
        const id = newId()
        return firstReason([await ask(task, about, to, { id }), await ask(task, about, to, { id })])
      }
      case 'forged':
        return await refusal(task, about, to, [401, 403])
      case 'late':
        return await refusal(task, about, to, [400, 401, 403])
      default:
        return await ask(task, about, to)
    }
  } catch (error) {
    if (error instanceof FetchFailed || error instanceof EgressRefused) return error.message.slice(0, 300)
    throw error
  }
}

const firstReason = (reasons: readonly (string | null)[]): string | null =>
  reasons.find(reason => reason !== null) ?? null

async function ask(
  task: Task,
  about: Envelope,
  to: Receiver,
  { id = newId() }: { id?: string } = {},
): Promise<string | null> {
  const answer = await send(task, about, to, { id, secrets: to.secrets, at: now() })
  if (answer.status !== 200) return `the endpoint answered ${answer.status}, not 200`
  return task.check(outputOf(answer))
}

/** A message that the agent must not accept: signed with a secret that is not its own, or an hour ago. */
async function refusal(
  task: Task,
  about: Envelope,
  to: Receiver,
  statuses: readonly number[],
): Promise<string | null> {
  const forged = task.exchange === 'forged'
  const { status } = await send(task, about, to, {
    id: newId(),
    secrets: forged ? [`whsec_${randomBytes(32).toString('base64')}`] : to.secrets,
    at: forged ? now() : now() - LATE_SECONDS,
  })
  return statuses.includes(status)
    ? null
    : `the endpoint answered ${status}, not ${statuses.join(' or ')}, to a message that is ${task.kind}`
}

const now = (): number => Math.floor(Date.now() / 1000)

function send(
  { kind, instructions, input }: Task,
  about: Envelope,
  to: Receiver,
  { id, secrets, at }: { id: string; secrets: readonly string[]; at: number },
): Promise<GuardedAnswer> {
  const body = JSON.stringify({ type: 'certification.task', ...about, kind, instructions, input })
  return fetchThrough(to.dialer, to.endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'svc-certification/1.0',
      ...signWebhook(secrets, { id, timestamp: at, body }),
    },
    body,
    timeoutMs: to.taskSeconds * 1000,
    maxBytes: MAX_ANSWER_BYTES,
    maxRedirects: 0,
  })
}

function outputOf({ body }: GuardedAnswer): unknown {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    return typeof parsed === 'object' && parsed !== null && 'output' in parsed ? parsed.output : undefined
  } catch {
    return undefined
  }
}
