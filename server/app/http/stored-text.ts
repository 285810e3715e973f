import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { HttpRequest } from '#platform/http/operation'
import { media, respond, type HttpResponse, type MediaResponse } from '#platform/http/response'

export const CACHED = { 'cache-control': 'public, max-age=300' }

interface Stored {
  gzip: Buffer
  etag: string
}

/**
 * A text that stays the same while the process lives, written when it is first read. Only its compressed form stays in
 * memory, a tenth of the text.
 */
export class StoredText {
  readonly #write: () => Promise<string>
  #stored: Promise<Stored> | undefined

  constructor(write: () => Promise<string>) {
    this.#write = write
  }

  async text(): Promise<string> {
    return gunzipSync((await this.#read()).gzip).toString()
  }

  /** The text compressed where the caller takes it, 304 where the caller has it. */
  async answer(
    { headers }: HttpRequest,
    mediaType: string,
    more: Record<string, string> = {},
  ): Promise<MediaResponse | HttpResponse<null>> {
    const { gzip, etag } = await this.#read()
    const validators = { ...CACHED, etag, vary: 'accept-encoding', ...more }
    if (headers['if-none-match'] === etag)
      return respond(null, { status: 304, headers: { ...validators, 'content-type': mediaType } })
    if (!/\bgzip\b/.test(headers['accept-encoding'] ?? ''))
      return media(gunzipSync(gzip), mediaType, { headers: validators })
    return media(gzip, mediaType, { headers: { ...validators, 'content-encoding': 'gzip' } })
  }

  #read(): Promise<Stored> {
    this.#stored ??= this.#write().then(compress)
    return this.#stored
  }
}

function compress(text: string): Stored {
  const plain = Buffer.from(text)
  return {
    gzip: gzipSync(plain),
    etag: `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 16)}"`,
  }
}
