import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear } from '../../../../test/support/linear.ts'
import { maskUrl } from './mask-url.ts'

test('tokens, passwords and addresses of people are masked in a URL, paths that hold none are not', () => {
  for (const [url, masked] of [
    ['/reset/abc?newPassword=my+word&x=1', '/reset/***?newPassword=***&x=1'],
    ['/agents/claim/abc', '/agents/claim/***'],
    ['/claim/abc?email=a%40b.co&password=hunter2', '/claim/***?email=***&password=***'],
    [
      '/cb?state=s&code=c&mfaToken=m&apiKey=k&totpCode=1',
      '/cb?state=***&code=***&mfaToken=***&apiKey=***&totpCode=***',
    ],
    ['/agents?tag=state', '/agents?tag=state'],
    ['/agents?tag=eyJhbGciOi', '/agents?tag=eyJhbGciOi'],
    ['/agents?tag=eyJ-sk_aB3', '/agents?tag=eyJ-sk_***'],
  ] as const)
    assert.equal(maskUrl(url), masked)
})

test('the matched route decides which part of a path is secret, whatever its spelling; keys are masked anywhere', () => {
  const key = 'aB3'.repeat(12)
  const reset = { template: '/reset/:token', params: { token: 'abc' } }
  for (const [url, route, masked] of [
    ['/%72eset/abc', reset, '/reset/***'],
    ['/reset/abc?a=1', reset, '/reset/***?a=1'],
    ['/%72eset/abc', undefined, '/reset/***'],
    ['//Reset//abc/', undefined, '/Reset/***/'],
    [`/agents/sk_${key}`, { template: '/agents/:id', params: { id: `sk_${key}` } }, '/agents/sk_***'],
    [`/no/such/sa%5F${key}?x=rk_${key}&%74oken=t`, undefined, '/no/such/***?x=rk_***&token=***'],
    [`/no/such/${'x'.repeat(32)}`, undefined, '/no/such/***'],
    ['/agents?search=eyJhbGciOi.eyJzdWIi.c2ln', { template: '/agents', params: {} }, '/agents?search=***'],
    [
      '/agents/0199d3c4-7a31-7cc0-8d51-3b1f5d6b6f2e',
      undefined,
      '/agents/0199d3c4-7a31-7cc0-8d51-3b1f5d6b6f2e',
    ],
    ['/auth/login/mfa', { template: '/auth/login/mfa', params: {} }, '/auth/login/mfa'],
  ] as const)
    assert.equal(maskUrl(url, route), masked)
})

test('a URL is masked in linear time', () => {
  for (const unit of ['eyJ-', 'eyJa.', 'sk_', '/a', '%2F', 'x'])
    for (const route of [undefined, { template: '/agents/:id', params: { id: unit.repeat(10) } }])
      assertLinear(unit, part => maskUrl(`/agents/${part}?search=${part}`, route), unit, 20_000)
})
