import { setTimeout as sleep } from 'node:timers/promises'
import type { Browser, BrowserContext, Page, Request, Response } from 'playwright-core'
import { hostAndPort, type FilterProxy, type ProxySession } from '../egress/proxy.ts'
import { PROCESS_MAX } from './memory.ts'
import { PageReader } from './page-reader.ts'
import { isWebUrl, NotVerified, sha256, type VerificationReport } from './report.ts'
import { inTime } from '../../kernel/background/in-time.ts'
import { asError } from '../../kernel/unknown.ts'

export interface LookOptions {
  timeoutMs: number
  maxBytes: number
  maxRedirects: number
  expectText?: string
  selector?: string
  /** 200 by default. */
  expectStatus?: number
  mayFetch: ProxySession['mayFetch']
}

/** The only way out of the browser. */
export interface Way {
  proxy: FilterProxy
  proxyUrl: string
}

/** A page is idle after QUIET_MS without a request; a page that is never idle is checked after SETTLE_MS. */
const QUIET_MS = 150
const SETTLE_MS = 1500
/** How long an expected text may take to appear on a page at rest. */
const TEXT_MS = 2000
const CLOSE_MS = 5000
/** The search for missing glyphs is given up after so long. */
const GLYPHS_MS = 1000

/** Opens `url` in a fresh profile of its own and says what stood there, in `timeoutMs`; throws NotVerified. */
export async function lookWithBrowser(
  browser: Browser,
  { proxy, proxyUrl }: Way,
  url: string,
  options: LookOptions,
): Promise<Partial<VerificationReport>> {
  const session = proxy.open(options.maxBytes, options.mayFetch)
  const { username, password } = session
  const opening = browser.newContext({
    proxy: { server: proxyUrl, bypass: '<-loopback>', username, password },
    serviceWorkers: 'block',
    acceptDownloads: false,
    viewport: { width: 1280, height: 800 },
  })
  const visit: Visit = {
    session,
    options,
    deadline: performance.now() + options.timeoutMs,
    trail: [],
    last: undefined,
    changedAt: performance.now(),
    underWay: new Set(),
    crashed: false,
    unpacked: 0,
  }
  try {
    // A page may keep the tab busy for ever, and then calls into it do not come back.
    return await inTime(look(opening, visit, url), options.timeoutMs)
  } catch (error) {
    throw error instanceof NotVerified || !browser.isConnected() ? error : explain(asError(error), visit)
  } finally {
    proxy.end(session)
    await inTime(
      opening.then(context => context.close()),
      CLOSE_MS,
    ).catch(() => void browser.close().catch(() => undefined))
  }
}

interface Visit {
  session: ProxySession
  options: LookOptions
  deadline: number
  /** The addresses of the main frame, redirects and moves of the page itself included. */
  trail: string[]
  last: Response | undefined
  changedAt: number
  underWay: Set<Request>
  crashed: boolean
  /** Bytes of the page's answers without their compression. */
  unpacked: number
}

async function look(
  opening: Promise<BrowserContext>,
  visit: Visit,
  url: string,
): Promise<Partial<VerificationReport>> {
  const context = await opening
  const page = await context.newPage()
  const left = () => Math.max(1, visit.deadline - performance.now())
  follow(page, visit)
  const reader = await PageReader.open(page, bytes => {
    visit.unpacked += bytes
    if (visit.unpacked > unpackedMax(visit)) void page.close().catch(() => undefined)
  })
  await page.goto(url, { waitUntil: 'commit', timeout: left() })
  // Only slow images are missing near the end: the document itself must be complete, see below.
  await page
    .waitForLoadState('load', { timeout: Math.max(1, left() - SETTLE_MS - TEXT_MS) })
    .catch((error: Error) => {
      if (!isTimeout(error)) throw error
    })
  await rest(visit)
  const { last } = visit
  if (!last) throw new NotVerified('unreachable', 'the page gave no answer')
  requireUsableLink(last, visit)
  if (!isWebUrl(page.url()))
    throw new NotVerified('bad_url', `the page moved on to ${page.url().slice(0, 40)}`, seenOf(visit))
  const broken = await last.finished()
  if (broken) throw broken
  const body = await last.body()
  await requireText(reader, visit)
  await requireElement(reader, visit)
  const screenshot = await page.screenshot({ type: 'png', timeout: left() }).catch(() => null)
  const title = (await reader.title()) || null
  const missingGlyphs =
    (await inTime(reader.missingGlyphs(), Math.min(GLYPHS_MS, left() / 2)).catch(() => '')) || null
  return {
    ...seenOf(visit),
    finalUrl: page.url(),
    sha256: sha256(body),
    bytes: body.length,
    title,
    screenshot,
    missingGlyphs,
  }
}

/** Keeps the trail of the main frame: a page may move on by itself, and what counts is where it comes to rest. */
function follow(page: Page, visit: Visit): void {
  const stop = () => void page.close().catch(() => undefined)
  const ofMainFrame = (request: Request) =>
    request.isNavigationRequest() && request.frame() === page.mainFrame()
  visit.session.onOverBudget = stop
  page.on('crash', () => {
    visit.crashed = true
    stop()
  })
  page.context().on('page', popup => void popup.close().catch(() => undefined))
  page.on('request', request => {
    visit.changedAt = performance.now()
    visit.underWay.add(request)
    if (ofMainFrame(request) && visit.trail.push(request.url()) > visit.options.maxRedirects + 1) stop()
  })
  page.on('response', response => {
    if (ofMainFrame(response.request())) visit.last = response
  })
  const ended = (request: Request) => {
    visit.changedAt = performance.now()
    visit.underWay.delete(request)
  }
  page.on('requestfinished', ended).on('requestfailed', ended)
}

async function rest(visit: Visit): Promise<void> {
  const until = Math.min(performance.now() + SETTLE_MS, visit.deadline)
  while (
    performance.now() < until &&
    (visit.underWay.size > 0 || performance.now() - visit.changedAt < QUIET_MS)
  )
    await sleep(25)
}

function seenOf({ trail, last }: Visit): Partial<VerificationReport> {
  return {
    finalUrl: trail.at(-1) ?? null,
    status: last?.status() ?? null,
    redirects: trail.slice(1),
    contentType: last?.headers()['content-type'] ?? null,
  }
}

function requireUsableLink(response: Response, visit: Visit): void {
  const failure = failureOf(visit)
  if (failure) throw failure
  const { expectStatus = 200 } = visit.options
  if (response.status() !== expectStatus) {
    const reason = `the page answered ${response.status()}, not ${expectStatus}`
    throw new NotVerified('bad_status', reason, seenOf(visit))
  }
}

async function requireText(reader: PageReader, visit: Visit): Promise<void> {
  const { expectText } = visit.options
  if (!expectText) return
  const until = Math.min(performance.now() + TEXT_MS, visit.deadline)
  do {
    if (await reader.holds(expectText)) return
    await sleep(100)
  } while (performance.now() < until)
  throw new NotVerified('text_missing', 'the page does not hold the expected text', seenOf(visit))
}

async function requireElement(reader: PageReader, visit: Visit): Promise<void> {
  const { selector } = visit.options
  if (selector === undefined) return
  const until = Math.min(performance.now() + TEXT_MS, visit.deadline)
  do {
    const selects = await reader.selects(selector)
    if (selects) return
    if (selects === null)
      throw new NotVerified('selector_invalid', 'the selector is not a valid CSS selector', seenOf(visit))
    await sleep(100)
  } while (performance.now() < until)
  throw new NotVerified('selector_missing', 'the page has no element for the selector', seenOf(visit))
}

/** What stands against the page whatever it answered: refused by the proxy, too large, too many moves. */
function failureOf(visit: Visit): NotVerified | null {
  const { session, trail, options } = visit
  if (trail.length > options.maxRedirects + 1)
    return new NotVerified('too_many_redirects', `more than ${options.maxRedirects} redirects`, seenOf(visit))
  if (visit.crashed)
    return new NotVerified(
      'out_of_memory',
      `the page crashed, such as for taking more than ${PROCESS_MAX / 2 ** 20} MB of memory`,
      seenOf(visit),
    )
  if (visit.unpacked > unpackedMax(visit))
    return new NotVerified(
      'too_large',
      `the page is larger than ${unpackedMax(visit)} bytes when unpacked`,
      seenOf(visit),
    )
  if (session.overBudget)
    return new NotVerified('too_large', `the page needs more than ${options.maxBytes} bytes`, seenOf(visit))
  const address = trail.at(-1)
  const target = address && isWebUrl(address) ? hostAndPort(new URL(address)) : null
  const refused = session.refusals.findLast(each => each.target === target)
  const answered = visit.last?.url() === address && visit.last?.status() !== 502
  return refused && !answered
    ? new NotVerified(refused.refusal.code, refused.refusal.message, { ...seenOf(visit), status: null })
    : null
}

/** Says in public words why the browser did not get the page. */
function explain(error: Error, visit: Visit): NotVerified {
  const failure = failureOf(visit)
  if (failure) return failure
  const seen = seenOf(visit)
  if (/Download is starting/i.test(error.message))
    return new NotVerified('download', 'the address is a download, not a page', seen)
  if (isTimeout(error))
    return new NotVerified('timeout', `the page was not loaded in ${visit.options.timeoutMs / 1000} s`, seen)
  return new NotVerified(
    'unreachable',
    `the page did not load (${/net::(\w+)/.exec(error.message)?.[1] ?? 'it broke off'})`,
    seen,
  )
}

/** Compressed text is about a tenth of its size; what is far below is made to fill memory. */
const unpackedMax = (visit: Visit): number => 10 * visit.options.maxBytes

const isTimeout = (error: Error): boolean =>
  error.name === 'TimeoutError' || /Timeout .* exceeded/i.test(error.message)
