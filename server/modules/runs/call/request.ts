import { agentKeys } from '#agents'
import { Dialer, EgressRefused } from '#platform/adapters/egress/dialer'
import { FetchFailed, fetchThrough } from '#platform/adapters/egress/fetch'
import { signWebhook } from '#platform/http/webhook-signature'
import { SECOND } from '#platform/kernel/clock'
import { FairQueue } from '#platform/kernel/collections/fair-queue'
import { moneyNumber } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import { CALL_TIMEOUT } from '../limits.ts'
import type { Run } from '../sql.ts'
import type { Exchange } from './answer.ts'

const ANSWER_MAX = 1024 * 1024
/** How long the end of the service waits for calls that are under way. */
const STOP_MS = 2000

/** How endpoints are reached, and the calls that are under way. */
export class Caller {
  readonly dialer: Dialer
  /** One slow agent has its own places only. */
  readonly queue = new FairQueue({ places: 32, perKey: 4, waiting: 1000, waitMs: 20_000 })
  readonly #underWay = new Set<Promise<void>>()
  #isStopping = false

  constructor({ config }: Pick<Services, 'config'>) {
    this.dialer = new Dialer({ allowPrivate: config.VERIFIER_ALLOW_PRIVATE, namesSetting: config.sandbox })
  }

  /** Keeps a call that nobody waits for. `report` gets its error, except while the service stops: then it is repeated. */
  begin(call: Promise<void>, report: (error: unknown) => void): void {
    const watched = call
      .catch((error: unknown) => {
        if (!this.#isStopping) report(error)
      })
      .finally(() => this.#underWay.delete(watched))
    this.#underWay.add(watched)
  }

  async stop(): Promise<void> {
    this.#isStopping = true
    const timer = Promise.withResolvers<void>()
    const late = setTimeout(timer.resolve, STOP_MS)
    await Promise.race([Promise.all(this.#underWay), timer.promise])
    clearTimeout(late)
  }
}

/** Where an agent reports the result of a run. */
export const resultUrlOf = (publicUrl: string, { agentId, id }: Pick<Run, 'agentId' | 'id'>): string =>
  `${publicUrl}/agents/${agentId}/runs/${id}/result`

/** Posts a run to the endpoint of its agent, through the guarded dialer. Never throws. */
export async function sendRun(
  services: Services,
  { dialer }: Caller,
  { run, endpoint }: { run: Run; endpoint: string },
): Promise<Exchange> {
  const body = JSON.stringify({
    type: 'run.requested',
    timestamp: services.clock.real().toISOString(),
    runId: run.id,
    agentId: run.agentId,
    input: run.input,
    jobReference: run.jobReference,
    price: moneyNumber(run.price),
    currency: run.currency,
    deadline: run.deadlineAt?.toISOString() ?? null,
    resultUrl: resultUrlOf(services.publicUrl, run),
  })
  try {
    const headers = await headersOf(services, run, body)
    return await fetchThrough(dialer, endpoint, {
      method: 'POST',
      headers,
      body,
      timeoutMs: CALL_TIMEOUT,
      maxBytes: ANSWER_MAX,
      maxRedirects: 0,
    })
  } catch (error) {
    return refusalOf(error)
  }
}

/** The same id in each attempt, so that a receiver recognizes a repetition. Signed if the agent has a webhook secret. */
async function headersOf(services: Services, run: Run, body: string): Promise<Record<string, string>> {
  const secrets = await agentKeys.webhookSecrets.webhookSecretsOf(
    services.db,
    services,
    run.agentId,
    services.clock.now(),
  )
  const timestamp = Math.floor(services.clock.real().getTime() / SECOND)
  const { 'webhook-signature': signature, ...signed } = signWebhook(secrets, { id: run.id, timestamp, body })
  return {
    ...signed,
    ...(secrets.length && signature ? { 'webhook-signature': signature } : {}),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'svc-runs/1.0',
  }
}

/** What another attempt would meet too. */
const FINAL = new Set(['private_address', 'port', 'bad_url', 'too_large'])

function refusalOf(error: unknown): Exchange {
  if (error instanceof EgressRefused || error instanceof FetchFailed)
    return { status: null, code: error.code, message: error.message, isFinal: FINAL.has(error.code) }
  throw error
}
