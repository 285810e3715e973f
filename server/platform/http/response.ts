import type { Readable } from 'node:stream'

/** Options of a cookie; the name, path and flags are those of RFC 6265. */
export interface CookieOptions {
  path: string
  httpOnly: boolean
  secure: boolean
  sameSite: 'lax' | 'strict'
  /** Seconds. */
  maxAge?: number
}

export interface Cookie {
  name: string
  /** Null removes the cookie. */
  value: string | null
  options: CookieOptions
}

/** What a response has beside its body. */
export interface ResponseExtra {
  /** Instead of the success status of the operation. */
  status?: number
  headers?: Readonly<Record<string, string>>
  cookies?: readonly Cookie[]
}

/** A body with status, headers or cookies of its own; an operation returns it in place of the bare body. */
export class HttpResponse<Body> {
  readonly body: Body
  readonly extra: ResponseExtra

  constructor(body: Body, extra: ResponseExtra) {
    this.body = body
    this.extra = extra
  }
}

export const respond = <Body>(body: Body, extra: ResponseExtra): HttpResponse<Body> =>
  new HttpResponse(body, extra)

/** Content of another media type than JSON: a page, an image, a stream of events. */
export class MediaResponse extends HttpResponse<string | Buffer | Readable> {
  readonly mediaType: string

  constructor(content: string | Buffer | Readable, mediaType: string, extra: ResponseExtra) {
    super(content, extra)
    this.mediaType = mediaType
  }
}

export const media = (
  content: string | Buffer | Readable,
  mediaType: string,
  extra: ResponseExtra = {},
): MediaResponse => new MediaResponse(content, mediaType, extra)

export const redirect = (location: string, extra: ResponseExtra = {}): HttpResponse<null> =>
  respond(null, { status: 302, ...extra, headers: { ...extra.headers, location } })
