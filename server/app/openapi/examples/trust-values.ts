import { uuid } from './constants.ts'

const CERTIFICATE = uuid('d1')

/** Of passports, certification runs and affiliates, by field name. */
export const TRUST_FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  issuer: ['http://127.0.0.1:3000'],
  benchmark_track: ['smoke'],
  certificate_id: [CERTIFICATE],
  certificateId: [CERTIFICATE],
  kid: ['2026-01'],
  secret: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  value: ['3q2-7wAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
  jws: ['eyJhbGciOiJFZERTQSIsImtpZCI6IjIwMjYtMDEifQ..c2lnbmF0dXJl'],
  types: ['browser-execution'],
  abortReason: [null],
  website: ['https://ada.example.com'],
  channels: ['newsletter'],
  reviewReason: [null],
  link: ['http://127.0.0.1:3000/affiliates/r/scribe-7k2'],
  day: ['2026-01-12'],
  dest: ['/docs'],
  label: ['January issue'],
  utm_source: ['mail'],
  utm_medium: ['email'],
  utm_campaign: ['january'],
}

/** The same by the name of the schema. */
export const TRUST_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  AffiliateLink: { url: 'http://127.0.0.1:3000/affiliates/r/scribe-7k2?dest=%2Fdocs', code: 'scribe-7k2' },
  CertificationResult: { task: 0, kind: 'echo', passed: true, reason: null, durationMs: 42 },
}
