import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Stripe } from 'stripe'
import { signatureFault, signatureHeader } from './signature.ts'

const body = Buffer.from('{"id":"evt_1","amount":150}')
const secret = 'whsec_of_the_test'
const now = new Date('2026-05-01T12:00:00Z')
const seconds = (n: number) => new Date(now.getTime() + n * 1000)

test('a signature is good for 300 s either way and no longer', () => {
  const header = signatureHeader(body, secret, now)
  for (const skew of [-300, 0, 300]) assert.equal(signatureFault(header, body, secret, seconds(skew)), null)
  for (const skew of [-301, 301]) assert.match(signatureFault(header, body, secret, seconds(skew)) ?? '', /300 s/)
})

test('another body, secret or timestamp breaks a signature', () => {
  const header = signatureHeader(body, secret, now)
  assert.ok(signatureFault(header, Buffer.from('{"id":"evt_1","amount":151}'), secret, now))
  assert.ok(signatureFault(header, body, 'whsec_of_another', now))
  assert.ok(signatureFault(header.replace(/t=\d+/, `t=${now.getTime() / 1000 + 1}`), body, secret, now))
})

test('a header that is none is refused', () => {
  for (const header of [undefined, '', 't=1', 'v1=00', 't=,v1=', 't=x,v1=zz', 't=1777636800,v1=', ',,,', 't=1777636800,v1=zz']) assert.ok(signatureFault(header, body, secret, now), String(header))
})

test('while a secret is rolled, one good signature of several is enough', () => {
  const header = signatureHeader(body, secret, now)
  const other = signatureHeader(body, 'whsec_of_another', now).split(',')[1]
  assert.equal(signatureFault(`${header},${other}`, body, secret, now), null)
  assert.equal(signatureFault(header.replace(',', `,${other},`), body, secret, now), null)
})

test('the scheme is the processor\'s own: its library makes what is accepted and accepts what is made', () => {
  const stripe = new Stripe('sk_test_unused')
  const payload = body.toString()
  const real = new Date()
  assert.equal(signatureFault(stripe.webhooks.generateTestHeaderString({ payload, secret }), body, secret, real), null)
  assert.equal(stripe.webhooks.constructEvent(payload, signatureHeader(body, secret, real), secret).id, 'evt_1')
})
