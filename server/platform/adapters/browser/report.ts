import { createHash } from 'node:crypto'

export type VerificationCode =
  | 'ok'
  | 'bad_url'
  | 'private_address'
  | 'port'
  | 'bad_status'
  | 'timeout'
  | 'too_large'
  | 'too_many_redirects'
  | 'download'
  | 'dns'
  | 'unreachable'
  | 'text_missing'
  | 'selector_missing'
  | 'selector_invalid'
  | 'no_browser'
  | 'out_of_memory'
  | 'artifact_mismatch'
  | 'unavailable'

/** What became of opening one URL. */
export interface VerificationReport {
  ok: boolean
  /** The resource at the URL: an HTML page, or a file of any other type. Null if unknown. */
  kind: 'page' | 'file' | null
  /** Who looked: the browser; HTTP alone for files, and for pages where no browser can be had. */
  verifier: 'chromium' | 'http'
  code: VerificationCode
  /** Fit for the public; null when it is well. */
  reason: string | null
  url: string
  finalUrl: string | null
  status: number | null
  /** Of the file, or of the page's main document, as it came. */
  sha256: string | null
  bytes: number
  contentType: string | null
  title: string | null
  /** PNG of the first screen of a page; null from HTTP alone. */
  screenshot: Buffer | null
  /** Characters of the page, 50 at most, that no font of the server can draw: the screenshot leaves them out. */
  missingGlyphs: string | null
  redirects: string[]
  durationMs: number
  checkedAt: Date
}

/** A refusal with what is known so far. */
export class NotVerified extends Error {
  readonly code: VerificationCode
  readonly seen: Partial<VerificationReport>
  constructor(code: VerificationCode, reason: string, seen: Partial<VerificationReport> = {}) {
    super(reason)
    this.name = 'NotVerified'
    this.code = code
    this.seen = seen
  }
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

export const isWebUrl = (text: string): boolean =>
  URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol)
