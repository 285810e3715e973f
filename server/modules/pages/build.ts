import { readdir, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { textOf } from '#platform/kernel/unknown'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/** Compressed variants beside each file, the smaller first. */
const CODINGS = [
  { coding: 'br', suffix: '.br' },
  { coding: 'gzip', suffix: '.gz' },
]

export interface Asset {
  content: Buffer
  mediaType: string
  /** Null for the file itself. */
  coding: string | null
}

/** The files that the build of the web console leaves in `folder`. They may be replaced while the service runs. */
export class ConsoleBuild {
  readonly #folder: string
  #listed: { mtimeMs: number; names: ReadonlySet<string> } | undefined

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The page, with its placeholders; null if the console has not been built. */
  page(): Promise<string | null> {
    return orNull(readFile(join(this.#folder, 'index.html'), 'utf8'))
  }

  /** A file in the form that the caller accepts; null if there is none of this name. Only names in the folder's list are read. */
  async asset(name: string, acceptEncoding: string | undefined): Promise<Asset | null> {
    const names = await this.#names()
    const mediaType = MEDIA_TYPES[extname(name)]
    if (!mediaType || !names.has(name)) return null
    const variant = CODINGS.find(
      ({ coding, suffix }) => accepts(acceptEncoding, coding) && names.has(name + suffix),
    )
    const content = await orNull(readFile(join(this.#folder, 'assets', name + (variant?.suffix ?? ''))))
    return content && { content, mediaType, coding: variant?.coding ?? null }
  }

  async #names(): Promise<ReadonlySet<string>> {
    const folder = join(this.#folder, 'assets')
    const { mtimeMs } = (await orNull(stat(folder))) ?? { mtimeMs: 0 }
    if (this.#listed?.mtimeMs !== mtimeMs)
      this.#listed = { mtimeMs, names: new Set(await orNull(readdir(folder))) }
    return this.#listed.names
  }
}

/** Null if the file or folder does not exist. */
async function orNull<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading
  } catch (error) {
    if (textOf(error, 'code') === 'ENOENT') return null
    throw error
  }
}

/** Whether an Accept-Encoding header names the coding, with a weight above 0. */
const accepts = (header: string | undefined, coding: string): boolean =>
  (header ?? '').split(',').some(part => {
    const [name = '', ...parameters] = part.split(';').map(text => text.trim().toLowerCase())
    return name === coding && !parameters.some(parameter => /^q=0(?:\.0*)?$/.test(parameter))
  })
