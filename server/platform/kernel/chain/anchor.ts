import { access, constants, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Head } from './chain.ts'
import { SECOND } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Queryable } from '../db.ts'
import type { Log } from '../../adapters/log/log.ts'
import { inTime } from '../background/in-time.ts'
import { Loop } from '../background/loop.ts'
import { identifier, sql } from '../sql.ts'

const TIMEOUT = 10 * SECOND

/**
 * Writes each new head of a chain outside the database: always to the log, and to LEDGER_ANCHOR_FILE and
 * LEDGER_ANCHOR_URL where they are set. A head proves all blocks before it, so only the last one of a chain waits while
 * file or address cannot be reached.
 */
export class Anchors {
  readonly #config: Pick<Config, 'LEDGER_ANCHOR_FILE' | 'LEDGER_ANCHOR_URL'>
  readonly #log: Log
  readonly #loop: Loop
  readonly #waiting = { file: new Map<string, Head>(), url: new Map<string, Head>() }
  readonly #failing = new Set<string>()

  constructor(config: Pick<Config, 'LEDGER_ANCHOR_FILE' | 'LEDGER_ANCHOR_URL'>, log: Log) {
    this.#config = config
    this.#log = log
    this.#loop = new Loop('anchors', SECOND, log, () => this.flush())
  }

  start(): void {
    this.#loop.start()
  }

  /** Returns when what waited was written once more. */
  async stop(): Promise<void> {
    await this.#loop.stop()
    await this.flush()
  }

  add(head: Head): void {
    this.#log.info(head, 'chain: new head')
    if (this.#config.LEDGER_ANCHOR_FILE) this.#waiting.file.set(head.chain, head)
    if (this.#config.LEDGER_ANCHOR_URL) this.#waiting.url.set(head.chain, head)
  }

  async flush(): Promise<void> {
    const { LEDGER_ANCHOR_FILE: path, LEDGER_ANCHOR_URL: url } = this.#config
    if (path) await this.#deliver('LEDGER_ANCHOR_FILE', this.#waiting.file, line => append(path, line))
    if (url) await this.#deliver('LEDGER_ANCHOR_URL', this.#waiting.url, line => send(url, line))
  }

  async #deliver(
    to: string,
    waiting: Map<string, Head>,
    write: (line: string) => Promise<void>,
  ): Promise<void> {
    for (const head of waiting.values()) {
      try {
        await write(JSON.stringify({ at: new Date().toISOString(), ...head }))
      } catch (err) {
        if (!this.#failing.has(to))
          this.#log.error({ err, ...head }, `chain: ${to} does not take the new head, trying again`)
        this.#failing.add(to)
        return
      }
      this.#failing.delete(to)
      if (waiting.get(head.chain) === head) waiting.delete(head.chain)
    }
  }
}

async function append(path: string, line: string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    await file.appendFile(`${line}\n`)
    await file.datasync()
  } finally {
    await file.close()
  }
}

/** Throws if this user could not append to the file. Makes none: it would belong to this user, who may not be the service's. */
export async function requireAppendable(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (found?.isDirectory()) throw new Error(`${path} is a folder`)
  await access(found ? path : dirname(path), found ? constants.W_OK : constants.W_OK | constants.X_OK)
}

async function send(url: string, body: string): Promise<void> {
  const exchange = fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  }).then(async response => {
    await response.body?.cancel()
    if (!response.ok) throw new Error(`it answered ${response.status}`)
  })
  await inTime(exchange, TIMEOUT + SECOND)
}

const CHAINS: Record<string, string> = { ledger: 'ledger_block', audit: 'platform_audit_block' }
const BATCH = 1000
type Line = { number: number } & Head

/**
 * Compares an anchor file with the chains: every head in it must be a block of the database still. A missing one means
 * that the end of a chain was cut off, another hash that the chain was rewritten. A file that cannot be read is a finding. The
 * file itself may be missing until there is a block.
 */
export async function verifyAnchors(
  q: Queryable,
  path: string,
): Promise<{ heads: number; findings: string[] }> {
  const findings: string[] = []
  let batch: Line[] = []
  let heads = 0
  const check = async () => {
    findings.push(...(await mismatches(q, batch)))
    heads += batch.length
    batch = []
  }
  const file = await open(path).catch((error: NodeJS.ErrnoException) => error)
  if (file instanceof Error)
    return {
      heads,
      findings:
        file.code === 'ENOENT'
          ? await missingFile(q, path)
          : [`the anchor file cannot be read: ${file.message}`],
    }
  let number = 0
  for await (const text of file.readLines()) {
    number++
    const head = parse(text)
    if (head) batch.push({ number, ...head })
    else if (text.trim()) findings.push(`anchor line ${number} cannot be read`)
    if (batch.length === BATCH) await check()
  }
  await check()
  return { heads, findings }
}

async function missingFile(q: Queryable, path: string): Promise<string[]> {
  for (const table of Object.values(CHAINS))
    if (await q.maybe(sql`select from ${identifier(table)} limit 1`))
      return [
        `the anchor file ${path} is missing: it was removed, or no block was sealed since LEDGER_ANCHOR_FILE is set`,
      ]
  return []
}

function parse(text: string): Head | null {
  try {
    const { chain, block, hash } = JSON.parse(text) as Head
    return typeof chain === 'string' &&
      chain in CHAINS &&
      Number.isSafeInteger(block) &&
      typeof hash === 'string'
      ? { chain, block, hash }
      : null
  } catch {
    return null
  }
}

async function mismatches(q: Queryable, lines: readonly Line[]): Promise<string[]> {
  const findings: string[] = []
  for (const [chain, table] of Object.entries(CHAINS)) {
    const own = lines.filter(line => line.chain === chain)
    const rows = await q.rows(sql<{ number: bigint; hash: string }>`
      select number, hash from ${identifier(table)} where number = any(${own.map(line => line.block)}::bigint[])`)
    const found = new Map(rows.map(row => [Number(row.number), row.hash]))
    for (const { number, block, hash } of own) {
      const now = found.get(block)
      if (now === undefined)
        findings.push(
          `${chain} block ${block} of anchor line ${number} is missing: the end of the chain was cut off`,
        )
      else if (now !== hash)
        findings.push(
          `${chain} block ${block} has another hash than anchor line ${number}: the chain was rewritten`,
        )
    }
  }
  return findings
}
