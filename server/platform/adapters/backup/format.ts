import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import type { BackupKey, SealedKey } from './key.ts'
import type { QueueOptions } from './jobs.ts'

/**
 * A backup is a gzip file of text (docs/adr/0010):
 *
 *     svc-backup 1
 *     <header as JSON>
 *     table <name and columns as JSON>      rows in COPY's text format, then a line "\."
 *     jobs                                  one JSON object a line, then a line "\."
 *     sequences <values as JSON>
 *     end <sha256 of everything before this line, signed with the passphrase>
 */
export const FORMAT = 1
const MAGIC = 'svc-backup'
const END_OF_ROWS = Buffer.from('\\.\n')
const NEWLINE = 10
/** A job holds one mail. */
const LONGEST_LINE = 64 * 1024 * 1024

export interface BackupHeader {
  createdAt: string
  /** Versions of the service and of the PostgreSQL server. */
  service: string
  postgres: string
  migrations: { name: string; checksum: string }[]
  masterKey: SealedKey
  queues: QueueOptions[]
}

export interface Table {
  name: string
  columns: string[]
}
export interface Sequence {
  name: string
  lastValue: string
  isCalled: boolean
}

/** The file cannot be used: incomplete, changed, or not a backup. */
export class DamagedBackup extends Error {}

/** The lines before and after the rows, and the end with its digest. */
export const line = (word: string, value?: unknown): string =>
  `${word}${value === undefined ? '' : ` ${JSON.stringify(value)}`}\n`
export const firstLines = (header: BackupHeader): string => `${MAGIC} ${FORMAT}\n${JSON.stringify(header)}\n`
export const endOfRows = END_OF_ROWS.toString()

/** Passes the content on and adds its end. */
export async function* withEnd(
  content: AsyncIterable<string | Buffer>,
  key: BackupKey,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const part of content) {
    const bytes = Buffer.from(part)
    hash.update(bytes)
    yield bytes
  }
  const sha256 = hash.digest('hex')
  yield Buffer.from(line('end', { sha256, signature: key.sign(sha256) }))
}

export type Section =
  | { kind: 'table'; table: Table }
  | { kind: 'jobs' }
  | { kind: 'sequences'; sequences: Sequence[] }

/** Reads a backup from its first line to its end in constant memory. Throws DamagedBackup for every defect of the file. */
export class BackupReader {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #hash: Hash = createHash('sha256')
  #buffer: Buffer = Buffer.alloc(0)
  #end: { sha256: string; signature: string } | undefined

  /** `onRead` gets the number of bytes of the file that were read so far. */
  constructor(file: string, onRead: (bytes: number) => void = () => undefined) {
    const source = createReadStream(file, { highWaterMark: 1024 * 1024 })
    source.on('data', () => onRead(source.bytesRead))
    const text = source.pipe(createGunzip({ chunkSize: 256 * 1024 }))
    source.once('error', error => text.destroy(error))
    this.#chunks = text[Symbol.asyncIterator]()
  }

  async header(): Promise<BackupHeader> {
    const [magic, format] = (await this.#line()).split(' ')
    if (magic !== MAGIC) throw new DamagedBackup('the file is not a backup of svc')
    if (Number(format) !== FORMAT)
      throw new DamagedBackup(
        `the backup has format ${format}, this version reads format ${FORMAT}: use the version that made it`,
      )
    return parse<BackupHeader>(await this.#line())
  }

  /** The next section, or null after the last. Read the rows of a section before the next one. */
  async section(): Promise<Section | null> {
    const text = await this.#line(false)
    const [word = ''] = text.split(' ', 1)
    const value = text.slice(word.length + 1)
    if (word === 'end') {
      this.#end = parse<{ sha256: string; signature: string }>(value)
      await this.#requireEnd(this.#end.sha256)
      return null
    }
    this.#hash.update(`${text}\n`)
    if (word === 'table') return { kind: 'table', table: parse<Table>(value) }
    if (word === 'jobs') return { kind: 'jobs' }
    if (word === 'sequences') return { kind: 'sequences', sequences: parse<Sequence[]>(value) }
    throw new DamagedBackup('the file is damaged: it has an unknown section')
  }

  /** The rows of a table as they go to COPY. */
  async *rows(): AsyncGenerator<Buffer> {
    while (this.#buffer.length < END_OF_ROWS.length) await this.#more()
    if (!this.#buffer.subarray(0, END_OF_ROWS.length).equals(END_OF_ROWS)) {
      let at = this.#buffer.indexOf(`\n${endOfRows}`)
      for (; at < 0; at = this.#buffer.indexOf(`\n${endOfRows}`)) {
        // The end may lie across two chunks.
        yield this.#take(Math.max(this.#buffer.length - END_OF_ROWS.length, 0))
        await this.#more()
      }
      yield this.#take(at + 1)
    }
    this.#take(END_OF_ROWS.length)
  }

  /** The lines of a section of JSON objects. */
  async *objects(): AsyncGenerator {
    for (let text = await this.#line(); text !== '\\.'; text = await this.#line()) yield parse(text)
  }

  /** Throws when somebody without the passphrase made or changed the file. Call it after the last section. */
  requireSignature(key: BackupKey): void {
    if (!this.#end || key.sign(this.#end.sha256) !== this.#end.signature)
      throw new DamagedBackup('the file was changed after it was written: its signature is wrong')
  }

  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #requireEnd(sha256: string): Promise<void> {
    // To the end of the stream, so that gzip checks its own sum.
    const rest = this.#buffer.length || !(await this.#next()).done
    if (rest || this.#hash.digest('hex') !== sha256)
      throw new DamagedBackup('the file is damaged: its checksum is wrong')
  }

  async #line(hashed = true): Promise<string> {
    let at = this.#buffer.indexOf(NEWLINE)
    for (let from = 0; at < 0; at = this.#buffer.indexOf(NEWLINE, from)) {
      from = this.#buffer.length
      if (from > LONGEST_LINE) throw new DamagedBackup('the file is not a backup of svc')
      await this.#more()
    }
    return this.#take(at + 1, hashed).toString('utf8', 0, at)
  }

  #take(length: number, hashed = true): Buffer {
    const taken = this.#buffer.subarray(0, length)
    this.#buffer = this.#buffer.subarray(length)
    if (hashed) this.#hash.update(taken)
    return taken
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#next()
    if (done) throw new DamagedBackup('the file is incomplete: its end is missing')
    this.#buffer = this.#buffer.length ? Buffer.concat([this.#buffer, value]) : value
  }

  async #next(): Promise<IteratorResult<Buffer, undefined>> {
    return (await this.#chunks.next().catch((error: NodeJS.ErrnoException) => {
      if (!error.code?.startsWith('Z_')) throw error
      throw new DamagedBackup(
        error.code === 'Z_BUF_ERROR'
          ? 'the file is incomplete: its end is missing'
          : `the file is damaged, or not a backup of svc (${error.message})`,
      )
    })) as IteratorResult<Buffer, undefined>
  }
}

/** The JSON value of a line. Its type is a claim: the signature of the file vouches for it. */
function parse<T>(text: string): T {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new DamagedBackup('the file is damaged', { cause })
  }
}
