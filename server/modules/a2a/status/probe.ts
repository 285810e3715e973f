import { fetchThrough } from '#platform/adapters/egress/fetch'
import { Dialer } from '#platform/adapters/egress/dialer'
import { MINUTE } from '#platform/kernel/clock'
import { isRecord } from '#platform/kernel/unknown'

const TIMEOUT_MS = 5000
const BYTES_MAX = 64 * 1024
/** How long an outcome is shown before the endpoint is asked again. */
const FRESH_MS = MINUTE
const REMEMBERED_MAX = 1000

export interface Probe {
  reachable: boolean
  checkedAt: Date
  /** Null without an answer. */
  latencyMs: number | null
  /** What the endpoint states as `protocolVersion`; null where it states none. */
  protocolVersion: string | null
}

/** Asks endpoints of agents whether they answer, each at most once a minute. */
export class EndpointProbe {
  readonly #dialer: Dialer
  readonly #real: () => Date
  readonly #known = new Map<string, { at: number; outcome: Promise<Probe> }>()

  constructor(options: { allowPrivate: readonly string[]; real: () => Date }) {
    this.#dialer = new Dialer(options)
    this.#real = options.real
  }

  /** The outcome of the last minute, if there is one. */
  known(url: string): Promise<Probe> | undefined {
    const found = this.#known.get(url)
    return found && this.#real().getTime() - found.at < FRESH_MS ? found.outcome : undefined
  }

  /** Asks the endpoint. Never throws; why an address was refused is not revealed. */
  ask(url: string): Promise<Probe> {
    const outcome = this.#ask(url)
    this.#known.delete(url)
    this.#known.set(url, { at: this.#real().getTime(), outcome })
    const [oldest] = this.#known.keys()
    if (this.#known.size > REMEMBERED_MAX && oldest !== undefined) this.#known.delete(oldest)
    return outcome
  }

  async #ask(url: string): Promise<Probe> {
    const checkedAt = this.#real()
    const began = performance.now()
    try {
      const { status, body } = await fetchThrough(this.#dialer, url, {
        headers: { accept: 'application/json', 'user-agent': 'svc-ap2-status' },
        timeoutMs: TIMEOUT_MS,
        maxBytes: BYTES_MAX,
        maxRedirects: 3,
      })
      const latencyMs = Math.round(performance.now() - began)
      // 404 and 405 are answers too: an endpoint need not support GET.
      return { reachable: status < 500, checkedAt, latencyMs, protocolVersion: versionIn(body) }
    } catch {
      return { reachable: false, checkedAt, latencyMs: null, protocolVersion: null }
    }
  }
}

function versionIn(body: Buffer): string | null {
  try {
    const answer: unknown = JSON.parse(body.toString())
    const version = isRecord(answer) ? answer.protocolVersion : null
    return typeof version === 'string' && /^[\w.-]{1,20}$/.test(version) ? version : null
  } catch {
    return null
  }
}
