/**
 * The values of the examples. They form one story: the buyer Ada (ada@example.com) pays the agent Scribe 100.00 USD for
 * release notes. A name maps to its value wherever a schema allows that value.
 */

export const uuid = (last: string): string => `0198c0de-0000-7000-8000-${last.padStart(12, '0')}`
export const at = (day: number, time: string): string => `2026-01-${day}T${time}:00.000Z`

export const ADA = uuid('a1')
export const SCRIBE = uuid('b1')
export const ADA_WALLET = uuid('a2')
export const SCRIBE_WALLET = uuid('b2')
export const NEGOTIATION = uuid('c1')
export const ESCROW = uuid('c2')
export const ADDRESS = '0x103d6d77C5eA7fe7AB747d2DDef4f35389666643'
export const JWT = 'eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl'
export const SHA256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
export const key = (prefix: string): string => `${prefix}_${'Example0'.repeat(4)}abcd`
export const REFRESH_TOKEN = 'cmVmcmVzaC10b2tlbi1vZi10aGUtZXhhbXBsZXMtMTI'
export const LINK_TOKEN = 'bGluay10b2tlbi1vZi10aGUtZW1haWw'
export const INPUT_SCHEMA = { type: 'object', properties: { repository: { type: 'string' } } }
export const OUTPUT_SCHEMA = {
  type: 'object',
  required: ['markdown'],
  properties: { markdown: { type: 'string' } },
}
export const SERVICE = 'Release notes for version 2'
export const RESULT = { markdown: '# Version 2' }
export const PAGE = 'https://example.com/release-notes'
