import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECOND } from '#platform/kernel/clock'
import type { Config } from '#platform/kernel/config'
import { newId, randomToken } from '#platform/kernel/id'
import { NoAnswer, type Outcome, type Processor } from './processors/port.ts'
import { SandboxProcessor } from './processors/sandbox/processor.ts'
import { STRIPE_API_URL } from './processors/stripe/client.ts'
import { StripeProcessor } from './processors/stripe/processor.ts'
import { memoizePerService, type Services } from '#platform/kernel/services'

/** How long the processor may take over an answer. */
const PATIENCE_MS = 10 * SECOND

/** The secrets that sign the processor's events: of the configuration; of the sandbox processor made on first use. */
export const webhookSecrets = memoizePerService(
  async ({ config, secrets, db }: Services): Promise<readonly string[]> => {
    if (config.PROCESSOR === 'stripe') return config.STRIPE_WEBHOOK_SECRET
    return config.PROCESSOR_WEBHOOK_SECRET.length
      ? config.PROCESSOR_WEBHOOK_SECRET
      : [await secrets.stored(db, 'processor/webhook', () => `whsec_${randomToken(32)}`)]
  },
)

/** Marks our payments at the processor: an event of another installation on the same account is not ours to book. */
export const installationOf = memoizePerService(({ secrets, db }: Services) =>
  secrets.stored(db, 'processor/installation', newId),
)

/** The simulated processor of sandbox mode: one for each running service. */
export const sandboxProcessor = memoizePerService((services: Services) => {
  const { config, db, clock, log, publicUrl } = services
  return new SandboxProcessor({
    db,
    clock,
    log,
    publicUrl,
    webhookUrl: ownAddress(config),
    secret: async () => (await webhookSecrets(services))[0] ?? '',
  })
})

// Not the public address: behind a proxy or in a container the process may not reach itself there.
function ownAddress({ HOST, PORT }: Config): string {
  const host = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[HOST] ?? (HOST.includes(':') ? `[${HOST}]` : HOST)
  return `http://${host}:${PORT}`
}

const stripeProcessor = memoizePerService(({ config, publicUrl }: Services) => {
  const { STRIPE_SECRET_KEY: secretKey = '', STRIPE_API_URL: apiUrl = STRIPE_API_URL } = config
  return new StripeProcessor({ secretKey, apiUrl, publicUrl })
})

/** The card processor that the configuration names. */
export const processorOf = (services: Services): Processor =>
  services.config.PROCESSOR === 'stripe' ? stripeProcessor(services) : sandboxProcessor(services)

const fingerprintKey = memoizePerService(({ secrets }: Services) => secrets.derive('payments/fingerprint'))

/**
 * The fingerprint of a card or bank account as it is stored: with a key of this installation, so that a copy of the
 * database can be compared neither with the processor's data nor with numbers that somebody tries.
 */
export const keyedFingerprint = (services: Services, kind: 'card' | 'bank', fingerprint: string): string =>
  createHmac('sha256', fingerprintKey(services)).update(`${kind}/${fingerprint}`).digest('base64url')

/** What became of a payment at the processor, with the keyed fingerprint of its card. NoAnswer. */
export async function askOutcome(services: Services, id: string, processorId?: string): Promise<Outcome> {
  const outcome = await answered(processorOf(services).outcomeOf(id, processorId))
  if (outcome.state !== 'paid' || outcome.paid.cardFingerprint === null) return outcome
  const cardFingerprint = keyedFingerprint(services, 'card', outcome.paid.cardFingerprint)
  return { ...outcome, paid: { ...outcome.paid, cardFingerprint } }
}

/** The processor's answer in reasonable time; throws NoAnswer without one, whatever its driver does. */
export async function answered<T>(asked: Promise<T>): Promise<T> {
  const late = new AbortController()
  const silence = sleep(PATIENCE_MS, undefined, { ref: false, signal: late.signal }).then(() => {
    throw new NoAnswer(`no answer in ${PATIENCE_MS} ms`)
  })
  try {
    return await Promise.race([asked, silence])
  } finally {
    late.abort()
    silence.catch(() => undefined)
  }
}
