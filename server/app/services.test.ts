import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicUrlOf } from './services.ts'

test('the public address is that of the host, with brackets for IPv6, unless PUBLIC_URL names one', () => {
  const of = (HOST: string, PUBLIC_URL?: string) => publicUrlOf({ HOST, PORT: 3000, PUBLIC_URL })
  assert.deepEqual(
    [of('127.0.0.1'), of('0.0.0.0'), of('::'), of('::1'), of('svc.test'), of('::1', 'https://svc.example')],
    [
      'http://127.0.0.1:3000',
      'http://localhost:3000',
      'http://localhost:3000',
      'http://[::1]:3000',
      'http://svc.test:3000',
      'https://svc.example',
    ],
  )
})
