import type { Browser, BrowserContext, Page, Response } from 'playwright-core'
import type { FilterProxy, ProxySession } from '../egress/proxy.ts'
import { NotVerified, sha256, type VerificationReport } from './report.ts'

export interface LookOptions { timeoutMs: number; maxBytes: number; maxRedirects: number; expectText?: string; mayFetch: ProxySession['mayFetch'] }

/** The only way out of the browser. */
export interface Way { proxy: FilterProxy; proxyUrl: string }

/** How long a loaded page gets to come to rest (scripts, images) before the screenshot. */
const SETTLE_MS = 1500

/** Opens `url` in a fresh profile of its own and says what stood there; throws NotVerified. */
export async function lookWithBrowser(browser: Browser, { proxy, proxyUrl }: Way, url: string, options: LookOptions): Promise<Partial<VerificationReport>> {
  const session = proxy.open(options.maxBytes, options.mayFetch)
  const { username, password } = session
  let context: BrowserContext | undefined
  try {
    context = await browser.newContext({
      proxy: { server: proxyUrl, bypass: '<-loopback>', username, password },
      serviceWorkers: 'block', acceptDownloads: false, viewport: { width: 1280, height: 800 },
    })
    return await look(await context.newPage(), url, session, options)
  } finally {
    proxy.end(session)
    await context?.close().catch(() => undefined)
  }
}

async function look(page: Page, url: string, session: ProxySession, options: LookOptions): Promise<Partial<VerificationReport>> {
  const deadline = Date.now() + options.timeoutMs
  const left = () => Math.max(1, deadline - Date.now())
  // A page may move on by itself (meta refresh, script): what counts is where it comes to rest.
  let last: Response | undefined
  page.on('response', response => { if (response.request().isNavigationRequest() && response.frame() === page.mainFrame()) last = response })
  page.setDefaultTimeout(options.timeoutMs)
  session.onOverBudget = () => void page.close().catch(() => undefined)
  await page.goto(url, { waitUntil: 'load', timeout: left() }).catch((error: Error) => { throw explain(error, session, options) })
  await page.waitForLoadState('networkidle', { timeout: Math.min(SETTLE_MS, left()) }).catch(() => undefined)
  if (!last) throw new NotVerified('unreachable', 'the page gave no answer')
  const redirects = chainOf(last)
  const seen: Partial<VerificationReport> = { finalUrl: page.url(), status: last.status(), redirects, contentType: last.headers()['content-type'] ?? null }
  demandGood(last, session, seen, options)
  const body = await last.body().catch(() => Buffer.alloc(0))
  if (body.length > options.maxBytes) throw new NotVerified('too_large', `more than ${options.maxBytes} bytes`, seen)
  await demandText(page, options.expectText, seen, left())
  const screenshot = await page.screenshot({ type: 'png', timeout: left() }).catch(() => null)
  return { ...seen, sha256: sha256(body), bytes: body.length, title: (await page.title().catch(() => '')) || null, screenshot }
}

function demandGood(response: Response, session: ProxySession, seen: Partial<VerificationReport>, options: LookOptions): void {
  const refusal = session.refusals.at(-1)
  if (response.status() === 502 && refusal) throw new NotVerified(refusal.code, refusal.message, { ...seen, status: null })
  if (session.overBudget) throw new NotVerified('too_large', `the page needs more than ${options.maxBytes} bytes`, seen)
  if ((seen.redirects?.length ?? 0) > options.maxRedirects) throw new NotVerified('too_many_redirects', `more than ${options.maxRedirects} redirects`, seen)
  if (response.status() !== 200) throw new NotVerified('bad_status', `the page answered ${response.status()}, not 200`, seen)
}

async function demandText(page: Page, expected: string | undefined, seen: Partial<VerificationReport>, timeout: number): Promise<void> {
  if (!expected) return
  const text = await page.locator('body').innerText({ timeout }).catch(() => '')
  if (!text.includes(expected)) throw new NotVerified('text_missing', 'the page does not hold the expected text', seen)
}

/** The addresses that a response was redirected through, without the first. */
function chainOf(response: Response): string[] {
  const chain: string[] = []
  for (let request = response.request(); request.redirectedFrom(); ) {
    chain.unshift(request.url())
    const before = request.redirectedFrom()
    if (!before) break
    request = before
  }
  return chain
}

/** Says in public words why the browser did not get the page. */
function explain(error: Error, session: ProxySession, options: LookOptions): NotVerified {
  const refusal = session.refusals.at(-1)
  if (session.overBudget) return new NotVerified('too_large', `the page needs more than ${options.maxBytes} bytes`)
  if (refusal) return new NotVerified(refusal.code, refusal.message)
  if (/Download is starting/i.test(error.message)) return new NotVerified('download', 'the address is a download, not a page')
  if (/Timeout .* exceeded/i.test(error.message)) return new NotVerified('timeout', `the page was not loaded in ${options.timeoutMs / 1000} s`)
  if (/ERR_TOO_MANY_REDIRECTS/.test(error.message)) return new NotVerified('too_many_redirects', `more than ${options.maxRedirects} redirects`)
  return new NotVerified('unreachable', `the page did not load (${/net::(\w+)/.exec(error.message)?.[1] ?? 'the connection failed'})`)
}
