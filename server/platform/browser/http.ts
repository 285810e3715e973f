import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Dialer } from '../egress/dialer.ts'
import { fetchThrough, readBody } from '../egress/fetch.ts'
import { NotVerified, type VerificationReport } from './report.ts'
import { holds, holdsInHtml, titleOf } from './text.ts'

export interface HttpLookOptions {
  timeoutMs: number
  maxRedirects: number
  /** Limit of a page. An expected text is looked for in as much of a file. */
  maxBytes: number
  maxFileBytes: number
  expectText?: string
  mayFetch: (url: URL) => void
  /** Whether a browser opens pages: then their body is not read here. */
  leavesPages: boolean
}

const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i
const TEXT = /^\s*(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)\b|image\/svg\+xml)/i
const NOTHING = Buffer.alloc(0)

/**
 * Fetches what stands at `url`: a file whole, with its sha256 and size, and a page too where there is no browser. Null for a
 * page that is left to the browser. Throws NotVerified, EgressRefused or FetchFailed.
 */
export async function lookOverHttp(dialer: Dialer, url: string, options: HttpLookOptions): Promise<Partial<VerificationReport> | null> {
  const { expectText, maxBytes, maxFileBytes, leavesPages, ...limits } = options
  const hash = createHash('sha256')
  let bytes = 0
  const read = async (answer: IncomingMessage) => {
    const page = isPage(answer)
    if (answer.statusCode !== 200 || (page && leavesPages)) return NOTHING
    const onChunk = (chunk: Buffer) => {
      hash.update(chunk)
      bytes += chunk.length
    }
    return readBody(answer, { maxBytes: page ? maxBytes : maxFileBytes, keepBytes: page || expectText ? maxBytes : 0, onChunk })
  }
  const answer = await fetchThrough(dialer, url, { ...limits, maxBytes, read, headers: { accept: 'text/html,*/*', 'user-agent': 'svc-verifier' } })
  const page = isPage(answer)
  if (leavesPages && page) return null
  const contentType = typeOf(answer) || null
  const seen: Partial<VerificationReport> = { kind: page ? 'page' : 'file', finalUrl: answer.finalUrl, status: answer.status, redirects: answer.redirects, contentType }
  if (answer.status !== 200) throw new NotVerified('bad_status', `the address answered ${answer.status}, not 200`, { ...seen, kind: null })
  const text = answer.body.toString('utf8')
  if (expectText && !(page ? holdsInHtml(text, expectText) : TEXT.test(contentType ?? '') && holds(text, expectText))) {
    throw new NotVerified('text_missing', `the ${seen.kind} does not hold the expected text`, seen)
  }
  return { ...seen, sha256: hash.digest('hex'), bytes, title: page ? titleOf(text) : null }
}

type Head = Pick<IncomingMessage, 'headers'> | { headers: Record<string, string | string[] | undefined> }

const typeOf = ({ headers }: Head): string => String(headers['content-type'] ?? '')

const isPage = (head: Head): boolean => HTML.test(typeOf(head)) && !/^\s*attachment/i.test(String(head.headers['content-disposition'] ?? ''))
