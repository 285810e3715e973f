import { createRequire } from 'node:module'
import { SECOND } from '#platform/kernel/clock'

/** One step is 30 s; a code is valid in its step and the two adjacent steps (RFC 6238, 5.2). */
const STEP_SECONDS = 30

const require = createRequire(import.meta.url)
/** Loaded on first use: it would take 15 ms of each start. */
const library = () => require('otplib') as typeof import('otplib')

/** A new shared secret: 160 bits in base32. */
export const newTotpSecret = (): string => library().generateSecret()

/** What authenticator apps read from a QR code. */
export const totpUri = (label: string, secret: string): string =>
  library().generateURI({ issuer: 'svc', label, secret })

// Apps show a code in two groups, and people type what they see.
const plain = (code: string): string => code.replaceAll(/\s/g, '')
export const looksLikeTotp = (code: string): boolean => /^\d{6}$/.test(plain(code))

/** The time step that a six-digit code belongs to, or null when it is none of this secret now. */
export function stepOf(secret: string, code: string, real: Date): number | null {
  if (!looksLikeTotp(code)) return null
  const token = plain(code)
  const found = library().verifySync({
    secret,
    token,
    epoch: Math.floor(real.getTime() / SECOND),
    epochTolerance: STEP_SECONDS,
  })
  return found.valid && 'timeStep' in found ? found.timeStep : null
}
