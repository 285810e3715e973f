import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskUrl } from './log.ts'

test('tokens, passwords and addresses of people are masked in a URL, paths that hold none are not', () => {
  for (const [url, masked] of [
    ['/reset/abc?newPassword=my+word&x=1', '/reset/***?newPassword=***&x=1'],
    ['/agents/claim/abc', '/agents/claim/***'],
    ['/claim/abc?email=a%40b.co&password=hunter2', '/claim/***?email=***&password=***'],
    ['/cb?state=s&code=c&mfaToken=m&apiKey=k&totpCode=1', '/cb?state=***&code=***&mfaToken=***&apiKey=***&totpCode=***'],
    ['/auth/login/mfa', '/auth/login/mfa'],
    ['/agents?tag=state', '/agents?tag=state'],
  ] as const) assert.equal(maskUrl(url), masked)
})
