import { SLUG_PATTERN } from '../kernel/slug.ts'

/** What a value must be that does not match a pattern of a request. A test holds the list against the OpenAPI document. */
export const PATTERN_WORDS: Readonly<Record<string, string>> = {
  '\\S': 'must not be blank',
  [SLUG_PATTERN]: 'must be lower-case letters and digits, with single hyphens or underscores between them',
  '^https?://': 'must begin with https:// or http://',
  '^/app(?:[/?#][^\\s\\\\]*)?$': 'must be a page of the console, such as /app/deals',
  '^[A-Z]{2}$': 'must be two capital letters, such as DE',
  '^[A-Za-z][A-Za-z0-9_+/-]*$': 'must be the name of a time zone, such as Europe/Berlin',
  '^\\s*[A-Za-z0-9](?:[A-Za-z0-9_-]{1,28})[A-Za-z0-9]\\s*$':
    'must be 3 to 30 letters and digits, with hyphens and underscores between them',
  '^[A-Za-z0-9][A-Za-z0-9._/-]*$':
    'must begin with a letter or a digit, and have no other signs than . _ / and - after it',
  '^([1-9][0-9]?|100)$': 'must be a whole number from 1 to 100',
  '^[0-9]{1,18}$': 'must be a whole number',
  '^[0-9]{4}$': 'must be four digits',
  '^0x[0-9a-fA-F]{40}$': 'must be an address: 0x and 40 hexadecimal digits',
  '^0x[0-9a-fA-F]{64}$': 'must be a hash: 0x and 64 hexadecimal digits',
  '^[0-9a-fA-F]{64}$': 'must be 64 hexadecimal digits',
  '^[\\w-]{16,128}$': 'must be 16 to 128 letters, digits, hyphens and underscores',
  '^[A-Za-z0-9_-]{43}$': 'must be a SHA-256 in base64url, which has 43 characters',
}
