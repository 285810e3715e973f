import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Dialer } from '../egress/dialer.ts'
import { fetchThrough, readBody } from '../egress/fetch.ts'
import { NotVerified, type VerificationReport } from './report.ts'
import { holds, holdsInHtml, titleOf } from './text.ts'

export interface HttpLookOptions {
  timeoutMs: number
  maxRedirects: number
  /** Limit of a page. An expected text must be within the same number of bytes of a file. */
  maxBytes: number
  maxFileBytes: number
  expectText?: string
  selector?: string
  /** 200 by default. */
  expectStatus?: number
  mayFetch: (url: URL) => void
  /** Whether a browser opens pages: then their body is not read here. */
  leavesPages: boolean
}

const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i
const TEXT = /^\s*(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript)\b|image\/svg\+xml)/i
const NOTHING = Buffer.alloc(0)

/**
 * Fetches `url`: a whole file, with its sha256 and size, or a page if there is no browser. Null for a
 * page that is left to the browser. Throws NotVerified, EgressRefused or FetchFailed.
 */
export async function lookOverHttp(
  dialer: Dialer,
  url: string,
  options: HttpLookOptions,
): Promise<Partial<VerificationReport> | null> {
  const { expectText, expectStatus = 200, selector, maxBytes, maxFileBytes, leavesPages, ...limits } = options
  const hash = createHash('sha256')
  let bytes = 0
  const read = async (answer: IncomingMessage) => {
    const page = isPage(answer)
    if (answer.statusCode !== expectStatus || (page && leavesPages)) return NOTHING
    const onChunk = (chunk: Buffer) => {
      hash.update(chunk)
      bytes += chunk.length
    }
    return readBody(answer, {
      maxBytes: page ? maxBytes : maxFileBytes,
      keepBytes: page || expectText ? maxBytes : 0,
      onChunk,
    })
  }
  const answer = await fetchThrough(dialer, url, {
    ...limits,
    maxBytes,
    read,
    headers: { accept: 'text/html,*/*', 'user-agent': 'svc-verifier' },
  })
  const page = isPage(answer)
  if (leavesPages && page) return null
  const contentType = typeOf(answer) || null
  const seen: Partial<VerificationReport> = {
    kind: page ? 'page' : 'file',
    finalUrl: answer.finalUrl,
    status: answer.status,
    redirects: answer.redirects,
    contentType,
  }
  if (answer.status !== expectStatus)
    throw new NotVerified('bad_status', `the address answered ${answer.status}, not ${expectStatus}`, {
      ...seen,
      kind: null,
    })
  const text = answer.body.toString('utf8')
  if (
    expectText &&
    !(page ? holdsInHtml(text, expectText) : TEXT.test(contentType ?? '') && holds(text, expectText))
  ) {
    throw new NotVerified('text_missing', `the ${seen.kind} does not hold the expected text`, seen)
  }
  if (selector !== undefined)
    throw page
      ? new NotVerified('no_browser', 'no browser can run here, which the selector needs', seen)
      : new NotVerified('selector_missing', 'the file is no page, so it has no elements', seen)
  return { ...seen, sha256: hash.digest('hex'), bytes, title: page ? titleOf(text) : null }
}

type Head = Pick<IncomingMessage, 'headers'> | { headers: Record<string, string | string[] | undefined> }

const typeOf = ({ headers }: Head): string => String(headers['content-type'] ?? '')

const isPage = (head: Head): boolean =>
  HTML.test(typeOf(head)) && !/^\s*attachment/i.test(String(head.headers['content-disposition'] ?? ''))
