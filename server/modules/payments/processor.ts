import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '#platform/clock'
import type { Config } from '#platform/config'
import { newId, randomToken } from '#platform/id'
import { NoAnswer, type Processor } from '#platform/processor/processor'
import { SandboxProcessor } from '#platform/processor/sandbox'
import type { Services } from '#platform/services'
import { fault } from '#platform/fault'
import { PAYMENTS } from './faults.ts'

/** How long the processor may take over an answer. */
const PATIENCE_MS = 10 * SECOND

const secrets: Kept = new WeakMap()
const installations: Kept = new WeakMap()
const sandboxes = new WeakMap<Services, SandboxProcessor>()

/** The secret that the processor signs its notifications with: of the configuration, else made on first use. */
export function webhookSecret(services: Services): Promise<string> {
  const { config, db } = services
  if (config.PROCESSOR_WEBHOOK_SECRET) return Promise.resolve(config.PROCESSOR_WEBHOOK_SECRET)
  return kept(secrets, services, () => services.secrets.stored(db, 'processor/webhook', () => `whsec_${randomToken(32)}`))
}

/** Marks our payments at the processor: an event of another installation on the same account is not ours to book. */
export const installationOf = (services: Services): Promise<string> =>
  kept(installations, services, () => services.secrets.stored(services.db, 'processor/installation', newId))

type Kept = WeakMap<Services, Promise<string>>

function kept(store: Kept, services: Services, read: () => Promise<string>): Promise<string> {
  const known = store.get(services) ?? read()
  store.set(services, known)
  known.catch(() => store.delete(services))
  return known
}

/** The simulated processor of sandbox mode: one for each running service. */
export function sandboxProcessor(services: Services): SandboxProcessor {
  const { config, db, clock, log, publicUrl } = services
  const known = sandboxes.get(services) ?? new SandboxProcessor({ db, clock, log, publicUrl, webhookUrl: ownAddress(config), secret: () => webhookSecret(services) })
  sandboxes.set(services, known)
  return known
}

// Not the public address: behind a proxy or in a container the process may not reach itself there.
function ownAddress({ HOST, PORT }: Config): string {
  const host = ({ '0.0.0.0': '127.0.0.1', '::': '[::1]' })[HOST] ?? (HOST.includes(':') ? `[${HOST}]` : HOST)
  return `http://${host}:${PORT}`
}

/** The card processor of this mode; fault 503 where there is none. */
export function processorOf(services: Services): Processor {
  if (services.config.sandbox) return sandboxProcessor(services)
  throw fault(PAYMENTS.PROCESSOR_UNAVAILABLE, { hint: 'This server has no card processor' })
}

/** The processor's answer in reasonable time; throws NoAnswer without one, whatever its driver does. */
export async function answered<T>(asked: Promise<T>): Promise<T> {
  const late = new AbortController()
  const silence = sleep(PATIENCE_MS, undefined, { ref: false, signal: late.signal })
    .then(() => { throw new NoAnswer(`no answer in ${PATIENCE_MS} ms`) })
  try {
    return await Promise.race([asked, silence])
  } finally {
    late.abort()
    silence.catch(() => undefined)
  }
}
