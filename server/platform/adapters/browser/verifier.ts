import { randomUUID } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { Dialer } from '../egress/dialer.ts'
import { FetchFailed, fetchThrough, type GuardedAnswer, type GuardedRequest } from '../egress/fetch.ts'
import { FilterProxy, hostAndPort } from '../egress/proxy.ts'
import { FairQueue } from '../../kernel/collections/fair-queue.ts'
import { launchChromium } from './chromium.ts'
import { lookOverHttp, type HttpLookOptions } from './http.ts'
import { watchMemory } from './memory.ts'
import { DEFAULTS, type CompleteOptions, type VerifierOptions } from './options.ts'
import { probeChromium } from './probe.ts'
import { lookWithBrowser, type LookOptions } from './page.ts'
import { asNotVerified, requireUrl } from './refusal.ts'
import { NotVerified, type VerificationReport } from './report.ts'
import { asError } from '../../kernel/unknown.ts'

export type { VerificationCode, VerificationReport } from './report.ts'

/** One URL to open. The page or text file must contain `expectText`, and the page an element that `selector` selects. */
export interface Target {
  url: string
  expectText?: string
  selector?: string
  /** 200 by default. */
  expectStatus?: number
}

const MAX_REDIRECTS = 5
/** Nobody waits longer for a place: the caller holds a request open meanwhile. */
const MAX_WAIT_MS = 20_000
const IDLE_MS = 5 * 60_000
const RETRY_LAUNCH_MS = 60_000

/** Opens untrusted URLs: in Chromium behind the filter proxy, or over HTTP alone where there is none. */
export class Verifier {
  readonly #options: CompleteOptions
  readonly #dialer: Dialer
  readonly #proxy: FilterProxy
  #proxyUrl: Promise<string> | undefined
  #browser: Promise<Browser> | undefined
  #failed: { at: number; reason: string } | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #closing = new AbortController()
  readonly #queue: FairQueue

  constructor(options: VerifierOptions) {
    this.#options = { ...DEFAULTS, ...options }
    const { maxConcurrent: places, maxWaiting: waiting } = this.#options
    this.#queue = new FairQueue({ places, perKey: 1, waiting, waitMs: MAX_WAIT_MS })
    const own = options.ownUrl && options.ownPages ? [hostAndPort(new URL(options.ownUrl))] : []
    const { resolve, namesSetting } = options
    this.#dialer = new Dialer({ allowPrivate: [...options.allowPrivate, ...own], namesSetting, resolve })
    this.#proxy = new FilterProxy(this.#dialer)
  }

  /** How pages are opened now, and why, for the operator. */
  describe(): { kind: 'chromium' | 'http'; reason: string | null } {
    return this.#failed ? { kind: 'http', reason: this.#failed.reason } : { kind: 'chromium', reason: null }
  }

  /**
   * Unpacks the browser and tries it, so that the log says at the start if none can run here. It is started for good with
   * the first delivery. Never throws.
   */
  async prepare(): Promise<void> {
    const { cacheDir, chromiumPath } = this.#options
    await probeChromium({ cacheDir, chromiumPath }, this.#closing.signal).catch((error: Error) => {
      if (!this.#closing.signal.aborted) this.#recordFailure(error)
    })
  }

  /** Opens one URL. Always a report, never an exception; `unavailable` when too many wait. */
  async check(
    url: string,
    { expectText, accountId }: { expectText?: string; accountId?: string } = {},
  ): Promise<VerificationReport> {
    const [report] = await this.checkAll([{ url, expectText }], accountId)
    if (!report) throw new Error('no report')
    return report
  }

  /**
   * Opens URLs one after the other, up to the first that does not pass, or `all`; their reports in the same order. One
   * account has one place at a time; a check without an account has its own share.
   */
  async checkAll(
    targets: readonly Target[],
    accountId: string = randomUUID(),
    { all = false } = {},
  ): Promise<VerificationReport[]> {
    const reports: VerificationReport[] = []
    try {
      await this.#queue.run(accountId, async () => {
        const deadline = performance.now() + this.#options.totalMs
        for (const target of targets) {
          const report = await this.#report(target.url, () => this.#look(target, deadline))
          reports.push(report)
          if (!report.ok && !all) return
        }
      })
    } catch (error) {
      reports.push(
        await this.#report(targets[0]?.url ?? '', async () => {
          throw error
        }),
      )
    } finally {
      this.#closeWhenIdle()
    }
    return reports
  }

  async #report(url: string, look: () => Promise<Partial<VerificationReport>>): Promise<VerificationReport> {
    const started = performance.now()
    const done = (seen: Partial<VerificationReport>): VerificationReport => ({
      ok: false,
      kind: null,
      verifier: this.describe().kind,
      code: 'ok',
      reason: null,
      url,
      finalUrl: null,
      status: null,
      sha256: null,
      bytes: 0,
      contentType: null,
      title: null,
      screenshot: null,
      missingGlyphs: null,
      redirects: [],
      ...seen,
      durationMs: Math.round(performance.now() - started),
      checkedAt: new Date(),
    })
    try {
      return done({ ...(await look()), ok: true })
    } catch (error) {
      const { code, message, seen = {} } = asNotVerified(error)
      return done({ ...seen, code, reason: message, ok: false })
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    clearTimeout(this.#idle)
    await this.#browser?.then(browser => browser.close()).catch(() => undefined)
    if (this.#proxyUrl) await this.#proxy.close()
  }

  /** One exchange with an untrusted endpoint, by the rules for URLs. Throws NotVerified, EgressRefused or FetchFailed. */
  async exchange(url: string, request: Omit<GuardedRequest, 'mayFetch'>): Promise<GuardedAnswer> {
    return fetchThrough(this.#dialer, requireUrl(url).href, {
      ...request,
      mayFetch: target => this.#requireOtherOwner(target),
    })
  }

  async #look({ url: text, ...expected }: Target, deadline: number): Promise<Partial<VerificationReport>> {
    const url = requireUrl(text)
    this.#requireOtherOwner(url)
    await this.#dialer.decide(url.hostname, Number(url.port || (url.protocol === 'https:' ? 443 : 80)))
    const { totalMs, maxBytes } = this.#options
    const browser = await this.#getBrowser()
    const timeLeft = () => {
      if (deadline <= performance.now())
        throw new NotVerified('timeout', `the URLs of the delivery were not opened in ${totalMs / 1000} s`)
      return Math.min(this.#options.timeoutMs, Math.ceil(deadline - performance.now()))
    }
    const options = { maxBytes, maxRedirects: MAX_REDIRECTS, ...expected }
    const fetched = await this.#overHttp(url.href, {
      ...options,
      timeoutMs: timeLeft(),
      leavesPages: browser !== null,
    })
    if (fetched) return { verifier: 'http', ...fetched }
    if (!browser) throw new Error('no browser, and no answer over HTTP')
    return {
      kind: 'page',
      verifier: 'chromium',
      ...(await this.#withBrowser(browser, url.href, {
        ...options,
        timeoutMs: timeLeft(),
        mayFetch: target => this.#isForeign(target),
      })),
    }
  }

  async #overHttp(
    url: string,
    options: Omit<HttpLookOptions, 'mayFetch' | 'maxFileBytes'>,
  ): Promise<Partial<VerificationReport> | null> {
    try {
      return await lookOverHttp(this.#dialer, url, {
        ...options,
        maxFileBytes: this.#options.maxFileBytes,
        mayFetch: target => this.#requireOtherOwner(target),
      })
    } catch (error) {
      // A site may answer browsers alone.
      if (options.leavesPages && error instanceof FetchFailed && error.code === 'unreachable') return null
      throw error
    }
  }

  async #withBrowser(
    browser: Browser,
    url: string,
    options: LookOptions,
  ): Promise<Partial<VerificationReport>> {
    const way = { proxy: this.#proxy, proxyUrl: await this.#listening() }
    try {
      return await lookWithBrowser(browser, way, url, options)
    } catch (error) {
      if (error instanceof NotVerified || browser.isConnected()) throw error
      // The browser crashed during the page: try once with a new one.
      const next = await this.#getBrowser()
      if (!next) throw error
      return lookWithBrowser(next, way, url, options)
    }
  }

  /** Our own address must not be turned against us; in sandbox mode its trial pages are open. */
  #isForeign(url: URL): boolean {
    const { ownUrl, ownPages } = this.#options
    if (!ownUrl || hostAndPort(url) !== hostAndPort(new URL(ownUrl))) return true
    return (
      ownPages !== undefined && url.protocol === new URL(ownUrl).protocol && url.pathname.startsWith(ownPages)
    )
  }

  #requireOtherOwner(url: URL): void {
    if (!this.#isForeign(url)) throw new NotVerified('private_address', `${url.host} is this service itself`)
  }

  async #getBrowser(): Promise<Browser | null> {
    if (this.#failed && performance.now() - this.#failed.at < RETRY_LAUNCH_MS) return null
    this.#browser ??= this.#launch()
    try {
      const browser = await this.#browser
      this.#failed = undefined
      return browser
    } catch (error) {
      this.#browser = undefined
      this.#recordFailure(asError(error))
      return null
    }
  }

  #recordFailure({ message }: Error): void {
    const reason = message.split('\n')[0] ?? 'unknown'
    if (!this.#failed)
      this.#options.log(`No Chromium can run here (${reason}): deliveries are checked over HTTP alone`)
    this.#failed = { at: performance.now(), reason }
  }

  async #launch(): Promise<Browser> {
    const { cacheDir, chromiumPath } = this.#options
    const browser = await launchChromium({ cacheDir, chromiumPath, proxyUrl: await this.#listening() })
    browser.once('disconnected', () => {
      this.#browser = undefined
    })
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
    if (this.#queue.size === 0)
      this.#idle = setTimeout(
        () => void this.#browser?.then(browser => browser.close()).catch(() => undefined),
        IDLE_MS,
      ).unref()
  }
}

export const createVerifier = (options: VerifierOptions): Verifier => new Verifier(options)
