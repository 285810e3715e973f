import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Stripe } from 'stripe'
import { signatureError, signatureHeader } from './signature.ts'

const body = Buffer.from('{"id":"evt_1","amount":150}')
const secret = 'whsec_of_the_test'
const now = new Date('2026-05-01T12:00:00Z')
const seconds = (n: number) => new Date(now.getTime() + n * 1000)

test('accepts a signature for 300 s in both directions, not longer', () => {
  const header = signatureHeader(body, secret, now)
  for (const skew of [-300, 0, 300]) assert.equal(signatureError(header, body, [secret], seconds(skew)), null)
  for (const skew of [-301, 301])
    assert.match(signatureError(header, body, [secret], seconds(skew)) ?? '', /300 s/)
})

test('another body, secret or timestamp breaks a signature', () => {
  const header = signatureHeader(body, secret, now)
  assert.ok(signatureError(header, Buffer.from('{"id":"evt_1","amount":151}'), [secret], now))
  assert.ok(signatureError(header, body, ['whsec_of_another'], now))
  assert.ok(signatureError(header.replace(/t=\d+/, `t=${now.getTime() / 1000 + 1}`), body, [secret], now))
})

test('rejects an invalid header', () => {
  for (const header of [
    undefined,
    '',
    't=1',
    'v1=00',
    't=,v1=',
    't=x,v1=zz',
    't=1777636800,v1=',
    ',,,',
    't=1777636800,v1=zz',
  ])
    assert.ok(signatureError(header, body, [secret], now), String(header))
})

test('while a secret is rolled, one good signature of several is enough', () => {
  const header = signatureHeader(body, secret, now)
  const other = signatureHeader(body, 'whsec_of_another', now).split(',')[1]
  assert.equal(signatureError(`${header},${other}`, body, [secret], now), null)
  assert.equal(signatureError(header.replace(',', `,${other},`), body, [secret], now), null)
})

test('each of several live secrets is accepted, until it is removed', () => {
  const [old, next] = ['whsec_of_yesterday', 'whsec_of_tomorrow']
  for (const signing of [old, next])
    assert.equal(signatureError(signatureHeader(body, signing, now), body, [old, next], now), null)
  assert.ok(signatureError(signatureHeader(body, old, now), body, [next], now))
  assert.ok(signatureError(signatureHeader(body, old, now), body, [], now), 'no secret accepts nothing')
})

test('none of 100,000 mutated signatures is accepted', () => {
  const header = signatureHeader(body, secret, now)
  const pick = (n: number) => Math.floor(Math.random() * n)
  const spoil = (text: string) => {
    const at = pick(text.length)
    const other = String.fromCharCode(33 + pick(94))
    return text.slice(0, at) + (pick(3) ? other : '') + text.slice(at + 1)
  }
  const good = Buffer.from(header.split('v1=')[1] ?? '', 'hex')
  // A change of the header that leaves its time and its bytes as they are is no other signature.
  const isSame = (changed: string) =>
    /(?:^|,)\s*t=1777636800(?:$|,)/.test(changed) &&
    changed.split(',').some(part => {
      const [name, value = ''] = part.trim().split('=')
      return name === 'v1' && Buffer.from(value, 'hex').equals(good)
    })
  const flipped = (buffer: Buffer) => {
    const copy = Buffer.from(buffer)
    const at = pick(copy.length)
    copy[at] = (copy[at] ?? 0) ^ (1 << pick(8))
    return copy
  }
  let tried = 0
  while (tried < 100_000) {
    const way = tried % 4
    const changed =
      way === 0 ? spoil(header) : way === 1 ? `t=1777636800,v1=${flipped(good).toString('hex')}` : header
    const key = way === 3 ? spoil(secret) : secret
    if (way < 2 ? isSame(changed) : way === 3 && key === secret) continue
    const payload = way === 2 ? flipped(body) : body
    const error = signatureError(changed, payload, [key], now)
    if (error === null) assert.fail(`accepted: ${changed} over ${payload.toString()}`)
    tried++
  }
})

test("the scheme is the processor's own: its library makes what is accepted and accepts what is made", () => {
  const stripe = new Stripe('sk_test_unused')
  const payload = body.toString()
  const real = new Date()
  assert.equal(
    signatureError(stripe.webhooks.generateTestHeaderString({ payload, secret }), body, [secret], real),
    null,
  )
  assert.equal(
    stripe.webhooks.constructEvent(payload, signatureHeader(body, secret, real), secret).id,
    'evt_1',
  )
})
