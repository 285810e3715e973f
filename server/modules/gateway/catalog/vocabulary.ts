import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const FILE = 'gpt-tokenizer/data/o200k_base.tiktoken'
const TOKENS = 200_000
/** A power of two, so that a mask cuts a hash; four in ten are taken. */
const SLOTS = 2 ** 19
/** In place of a rank: these bytes are no token. */
const NONE = 2 ** 31 - 1

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const [NEWLINE, SPACE, PADDING] = Buffer.from('\n =') as unknown as [number, number, number]

/**
 * The tokens of o200k by their bytes, which is all that counting needs: 4 MB in typed arrays outside the heap. The maps of
 * strings of `gpt-tokenizer` take 36 MB of the heap.
 */
export class Vocabulary {
  /** The bytes of all tokens in the order of their ranks, and where each one ends. */
  readonly #bytes: Uint8Array
  readonly #ends = new Uint32Array(TOKENS)
  /** The rank of a token, at the slot of its hash or the next free one. */
  readonly #slots = new Int32Array(SLOTS).fill(NONE)
  readonly #encoder = new TextEncoder()
  /** The bytes that are counted; where each part of them starts, and the rank of each part with the next one. */
  #piece = new Uint8Array(0)
  #starts = new Int32Array(0)
  #ranks = new Int32Array(0)

  constructor() {
    const file = readFileSync(createRequire(import.meta.url).resolve(FILE))
    this.#bytes = this.#read(file)
    for (let rank = 0, from = 0; from < this.#bytes.length; rank++) {
      const to = this.#ends[rank] ?? 0
      this.#slots[this.#slotOf(this.#bytes, from, to)] = rank
      from = to
    }
  }

  /** Tokens of a piece: of a match of the expression that splits a text. */
  count(piece: string): number {
    const most = piece.length * 3
    if (most > this.#piece.length) {
      this.#piece = new Uint8Array(most)
      this.#starts = new Int32Array(most + 1)
      this.#ranks = new Int32Array(most)
    }
    const length = this.#encode(piece)
    return this.#rankOf(0, length) === NONE ? this.#merge(length) : 1
  }

  /** Writes the piece in UTF-8; returns its bytes. Most pieces are a short word of ASCII, for which a call costs more. */
  #encode(piece: string): number {
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (code > 127) return this.#encoder.encodeInto(piece, this.#piece).written
      this.#piece[at] = code
    }
    return piece.length
  }

  /** A line for each token in the order of their ranks: its bytes in base64, a space and the rank. */
  #read(file: Uint8Array): Uint8Array {
    const values = new Uint8Array(256)
    for (let value = 0; value < BASE64.length; value++) values[BASE64.charCodeAt(value)] = value
    const bytes = new Uint8Array(file.length)
    let end = 0
    for (let at = 0, rank = 0; at < file.length; at = file.indexOf(NEWLINE, at) + 1 || file.length) {
      for (let bits = 0, count = 0; file[at] !== SPACE && file[at] !== PADDING; at++) {
        bits = (bits << 6) | (values[file[at] ?? 0] ?? 0)
        count += 6
        if (count < 8) continue
        count -= 8
        bytes[end++] = bits >> count
      }
      this.#ends[rank++] = end
    }
    return bytes.slice(0, end)
  }

  /** Joins the two adjacent parts whose pair has the lowest rank, until no pair is a token. */
  #merge(length: number): number {
    const [starts, ranks] = [this.#starts, this.#ranks]
    let parts = length
    const rankAt = (part: number) =>
      part + 2 > parts ? NONE : this.#rankOf(starts[part] ?? 0, starts[part + 2] ?? 0)
    for (let at = 0; at <= length; at++) starts[at] = at
    for (let at = 0; at < length; at++) ranks[at] = rankAt(at)
    for (;;) {
      let lowest = 0
      for (let at = 1; at < parts; at++) if ((ranks[at] ?? NONE) < (ranks[lowest] ?? NONE)) lowest = at
      if ((ranks[lowest] ?? NONE) === NONE) return parts
      starts.copyWithin(lowest + 1, lowest + 2, parts + 1)
      ranks.copyWithin(lowest, lowest + 1, parts)
      parts--
      ranks[lowest] = rankAt(lowest)
      if (lowest > 0) ranks[lowest - 1] = rankAt(lowest - 1)
    }
  }

  #rankOf(from: number, to: number): number {
    return this.#slots[this.#slotOf(this.#piece, from, to)] ?? NONE
  }

  /** The slot of these bytes, or the free one where they would be. */
  #slotOf(bytes: Uint8Array, from: number, to: number): number {
    // FNV-1a.
    let hash = 0x811c9dc5
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193)
    let slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
    while (this.#slots[slot] !== NONE && !this.#isToken(this.#slots[slot] ?? 0, bytes, from, to))
      slot = (slot + 1) & (SLOTS - 1)
    return slot
  }

  #isToken(rank: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = rank ? (this.#ends[rank - 1] ?? 0) : 0
    if ((this.#ends[rank] ?? 0) - start !== to - from) return false
    for (let at = from; at < to; at++) if (bytes[at] !== this.#bytes[start + at - from]) return false
    return true
  }
}
