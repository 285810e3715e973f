import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { Dialer, EgressRefused, type DialerOptions } from '../egress/dialer.ts'
import { FetchFailed } from '../egress/fetch.ts'
import { FilterProxy, hostAndPort } from '../egress/proxy.ts'
import { FairQueue, QueueFull } from '../fair-queue.ts'
import { launchChromium } from './chromium.ts'
import { lookOverHttp, type HttpLookOptions } from './http.ts'
import { watchMemory } from './memory.ts'
import { lookWithBrowser, type LookOptions } from './page.ts'
import { NotVerified, type VerificationReport } from './report.ts'

export type { VerificationCode, VerificationReport } from './report.ts'

export interface VerifierOptions {
  /** Where the browser is unpacked to. */
  cacheDir: string
  chromiumPath?: string
  /** `host:port` or `host:*` that may be opened although private. */
  allowPrivate: readonly string[]
  /** This service's own address; of it only the paths under `ownPages` may be opened, and only when that is set. */
  ownUrl?: string
  ownPages?: string
  log: (message: string) => void
  maxConcurrent?: number
  maxWaiting?: number
  /** For one URL. */
  timeoutMs?: number
  /** For all URLs of one check. */
  totalMs?: number
  /** Of a page with everything that it loads. */
  maxBytes?: number
  maxFileBytes?: number
  resolve?: DialerOptions['resolve']
}

/** One URL to open. `expectText` must stand on the page, or in a file of text. */
export interface Target { url: string; expectText?: string }

const MIB = 1024 * 1024
const DEFAULTS = { maxConcurrent: 4, maxWaiting: 64, timeoutMs: 10_000, totalMs: 30_000, maxBytes: 5 * MIB, maxFileBytes: 25 * MIB }
const MAX_REDIRECTS = 5
/** Nobody waits longer for a place: the caller holds a request open meanwhile. */
const MAX_WAIT_MS = 20_000
const IDLE_MS = 5 * 60_000
const RETRY_LAUNCH_MS = 60_000

/** Opens the URLs that strangers give: in Chromium behind the filter proxy, or over HTTP alone where there is none. */
export class Verifier {
  readonly #options: typeof DEFAULTS & VerifierOptions
  readonly #dialer: Dialer
  readonly #proxy: FilterProxy
  #proxyUrl: Promise<string> | undefined
  #browser: Promise<Browser> | undefined
  #failed: { at: number; reason: string } | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #queue: FairQueue

  constructor(options: VerifierOptions) {
    this.#options = { ...DEFAULTS, ...options }
    const { maxConcurrent: places, maxWaiting: waiting } = this.#options
    this.#queue = new FairQueue({ places, perKey: 1, waiting, waitMs: MAX_WAIT_MS })
    const own = options.ownUrl && options.ownPages ? [hostAndPort(new URL(options.ownUrl))] : []
    this.#dialer = new Dialer({ allowPrivate: [...options.allowPrivate, ...own], resolve: options.resolve })
    this.#proxy = new FilterProxy(this.#dialer)
  }

  /** How pages are opened now, and why, for the operator. */
  describe(): { kind: 'chromium' | 'http'; reason: string | null } {
    return this.#failed ? { kind: 'http', reason: this.#failed.reason } : { kind: 'chromium', reason: null }
  }

  /** Gets the browser ready, so that the first delivery does not wait for it. Never throws. */
  async warm(): Promise<void> {
    await this.#getBrowser()
  }

  /** Opens one URL. Always a report, never an exception; `unavailable` when too many wait. */
  async check(url: string, { expectText, accountId }: { expectText?: string; accountId?: string } = {}): Promise<VerificationReport> {
    const [report] = await this.checkAll([{ url, expectText }], accountId)
    if (!report) throw new Error('no report')
    return report
  }

  /**
   * Opens URLs one after the other, up to the first that does not pass; their reports in the same order. One account has one
   * place at a time; a check without an account has its own share.
   */
  async checkAll(targets: readonly Target[], accountId: string = randomUUID()): Promise<VerificationReport[]> {
    const reports: VerificationReport[] = []
    try {
      await this.#queue.run(accountId, async () => {
        const deadline = Date.now() + this.#options.totalMs
        for (const target of targets) {
          const report = await this.#report(target.url, () => this.#look(target, deadline))
          if (!(reports.push(report) && report.ok)) return
        }
      })
    } catch (error) {
      reports.push(await this.#report(targets[0]?.url ?? '', async () => { throw error }))
    } finally {
      this.#closeWhenIdle()
    }
    return reports
  }

  async #report(url: string, look: () => Promise<Partial<VerificationReport>>): Promise<VerificationReport> {
    const started = Date.now()
    const done = (seen: Partial<VerificationReport>): VerificationReport => ({
      ok: false, kind: null, verifier: this.describe().kind, code: 'ok', reason: null, url, finalUrl: null, status: null, sha256: null, bytes: 0, contentType: null, title: null,
      screenshot: null, missingGlyphs: null, redirects: [], ...seen, durationMs: Date.now() - started, checkedAt: new Date(),
    })
    try {
      return done({ ...await look(), ok: true })
    } catch (error) {
      const { code, message, seen = {} } = asNotVerified(error)
      return done({ ...seen, code, reason: message, ok: false })
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#browser?.then(browser => browser.close()).catch(() => undefined)
    if (this.#proxyUrl) await this.#proxy.close()
  }

  async #look({ url: text, expectText }: Target, deadline: number): Promise<Partial<VerificationReport>> {
    const url = demandUrl(text)
    this.#demandForeign(url)
    await this.#dialer.decide(url.hostname, Number(url.port || (url.protocol === 'https:' ? 443 : 80)))
    const { totalMs, maxBytes } = this.#options
    const browser = await this.#getBrowser()
    const timeLeft = () => {
      if (deadline <= Date.now()) throw new NotVerified('timeout', `the URLs of the delivery were not opened in ${totalMs / 1000} s`)
      return Math.min(this.#options.timeoutMs, deadline - Date.now())
    }
    const options = { maxBytes, maxRedirects: MAX_REDIRECTS, expectText }
    const fetched = await this.#overHttp(url.href, { ...options, timeoutMs: timeLeft(), leavesPages: browser !== null })
    if (fetched) return { verifier: 'http', ...fetched }
    if (!browser) throw new Error('no browser, and no answer over HTTP')
    return { kind: 'page', verifier: 'chromium', ...await this.#withBrowser(browser, url.href, { ...options, timeoutMs: timeLeft(), mayFetch: target => this.#isForeign(target) }) }
  }

  async #overHttp(url: string, options: Omit<HttpLookOptions, 'mayFetch' | 'maxFileBytes'>): Promise<Partial<VerificationReport> | null> {
    try {
      return await lookOverHttp(this.#dialer, url, { ...options, maxFileBytes: this.#options.maxFileBytes, mayFetch: target => this.#demandForeign(target) })
    } catch (error) {
      // A site may answer browsers alone.
      if (options.leavesPages && error instanceof FetchFailed && error.code === 'unreachable') return null
      throw error
    }
  }

  async #withBrowser(browser: Browser, url: string, options: LookOptions): Promise<Partial<VerificationReport>> {
    const way = { proxy: this.#proxy, proxyUrl: await this.#listening() }
    try {
      return await lookWithBrowser(browser, way, url, options)
    } catch (error) {
      if (error instanceof NotVerified || browser.isConnected()) throw error
      // The browser died under the page: a new one gets one more try.
      const next = await this.#getBrowser()
      if (!next) throw error
      return lookWithBrowser(next, way, url, options)
    }
  }

  /** Our own address must not be turned against us; in sandbox mode its trial pages are open. */
  #isForeign(url: URL): boolean {
    const { ownUrl, ownPages } = this.#options
    if (!ownUrl || hostAndPort(url) !== hostAndPort(new URL(ownUrl))) return true
    return ownPages !== undefined && url.protocol === new URL(ownUrl).protocol && url.pathname.startsWith(ownPages)
  }

  #demandForeign(url: URL): void {
    if (!this.#isForeign(url)) throw new NotVerified('private_address', `${url.host} is this service itself`)
  }

  async #getBrowser(): Promise<Browser | null> {
    if (this.#failed && Date.now() - this.#failed.at < RETRY_LAUNCH_MS) return null
    this.#browser ??= this.#launch()
    try {
      const browser = await this.#browser
      this.#failed = undefined
      return browser
    } catch (error) {
      this.#browser = undefined
      const reason = (error as Error).message.split('\n')[0] ?? 'unknown'
      if (!this.#failed) this.#options.log(`No Chromium can run here (${reason}): deliveries are checked over HTTP alone`)
      this.#failed = { at: Date.now(), reason }
      return null
    }
  }

  async #launch(): Promise<Browser> {
    const { cacheDir, chromiumPath } = this.#options
    const browser = await launchChromium({ cacheDir, chromiumPath, proxyUrl: await this.#listening() })
    browser.once('disconnected', () => { this.#browser = undefined })
    // It ends with the browser, and then its calls into it fail.
    void watchMemory(browser).catch(() => undefined)
    return browser
  }

  #listening(): Promise<string> {
    this.#proxyUrl ??= this.#proxy.listen()
    return this.#proxyUrl
  }

  #closeWhenIdle(): void {
    clearTimeout(this.#idle)
    if (this.#queue.size === 0) this.#idle = setTimeout(() => void this.#browser?.then(browser => browser.close()).catch(() => undefined), IDLE_MS).unref()
  }
}

export const createVerifier = (options: VerifierOptions): Verifier => new Verifier(options)

function demandUrl(text: string): URL {
  if (!URL.canParse(text)) throw new NotVerified('bad_url', 'this is not a URL')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new NotVerified('bad_url', `${url.protocol} addresses are not opened, only http: and https:`)
  if (url.username || url.password) throw new NotVerified('bad_url', 'the URL must not hold a user name or password')
  return url
}

function asNotVerified(error: unknown): { code: VerificationReport['code']; message: string; seen?: Partial<VerificationReport> } {
  if (error instanceof NotVerified || error instanceof EgressRefused || error instanceof FetchFailed) return error
  if (error instanceof QueueFull) return { code: 'unavailable', message: 'too many deliveries are being checked: send it again in a moment' }
  return { code: 'unavailable', message: 'the browser failed: send it again in a moment' }
}
