import type { Dialer } from '../egress/dialer.ts'
import { fetchThrough } from '../egress/fetch.ts'
import type { LookOptions } from './page.ts'
import { NotVerified, sha256, type VerificationReport } from './report.ts'
import { holdsInHtml, titleOf } from './text.ts'

/** What a browser shows as a page; it would offer the rest as a download. */
const SHOWN = /^(?:text\/|image\/|audio\/|video\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)\b)/i

/** Makes the checks that need no browser: the same answers where there is none; throws NotVerified, EgressRefused or FetchFailed. */
export async function lookOverHttp(dialer: Dialer, url: string, options: Omit<LookOptions, 'mayFetch'> & { mayFetch: (url: URL) => void }): Promise<Partial<VerificationReport>> {
  const { expectText, ...limits } = options
  const answer = await fetchThrough(dialer, url, { ...limits, headers: { accept: 'text/html,*/*', 'user-agent': 'svc-verifier' } })
  const contentType = String(answer.headers['content-type'] ?? '') || null
  const seen: Partial<VerificationReport> = { finalUrl: answer.finalUrl, status: answer.status, redirects: answer.redirects, contentType }
  if (answer.status !== 200) throw new NotVerified('bad_status', `the page answered ${answer.status}, not 200`, seen)
  const attached = /^\s*attachment/i.test(String(answer.headers['content-disposition'] ?? ''))
  if (attached || (contentType && !SHOWN.test(contentType))) throw new NotVerified('download', 'the address is a download, not a page', seen)
  const text = answer.body.toString('utf8')
  if (expectText && !holdsInHtml(text, expectText)) throw new NotVerified('text_missing', 'the page does not hold the expected text', seen)
  return { ...seen, sha256: sha256(answer.body), bytes: answer.body.length, title: titleOf(text) }
}
