import type { DialerOptions } from '../egress/dialer.ts'

export interface VerifierOptions {
  /** Where the browser is unpacked to. */
  cacheDir: string
  chromiumPath?: string
  /** `host:port` or `host:*` that may be opened although private. */
  allowPrivate: readonly string[]
  /** Whether a refusal names the setting that would allow the address. */
  namesSetting?: boolean
  /** This service's own address; of it only the paths under `ownPages` may be opened, and only when that is set. */
  ownUrl?: string
  ownPages?: string
  log: (message: string) => void
  maxConcurrent?: number
  maxWaiting?: number
  /** For one URL. */
  timeoutMs?: number
  /** For all URLs of one check. */
  totalMs?: number
  /** Of a page with everything that it loads. */
  maxBytes?: number
  maxFileBytes?: number
  resolve?: DialerOptions['resolve']
}

const MIB = 1024 * 1024
export const DEFAULTS = {
  maxConcurrent: 4,
  maxWaiting: 64,
  timeoutMs: 10_000,
  totalMs: 30_000,
  maxBytes: 5 * MIB,
  maxFileBytes: 25 * MIB,
}

export type CompleteOptions = typeof DEFAULTS & VerifierOptions
