import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { AffiliateTrial, sharedService, type TestService } from '#test'
import { ClickBuffer } from './buffer.ts'

suite('clicks that cannot be stored', () => {
  let service: TestService
  let trial: AffiliateTrial
  before(async () => {
    service = await sharedService()
    trial = new AffiliateTrial(service, await service.adminToken())
  })
  after(() => service.close())

  const follow = async (path: string, visitor: string) => {
    const { status, headers } = await fetch(`${service.baseUrl}/affiliates/r/${path}`, {
      redirect: 'manual',
      headers: { 'user-agent': `Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0.0.0 Safari/537.36 ${visitor}` },
    })
    return { status, location: headers.get('location'), isCounted: headers.getSetCookie().length > 0 }
  }

  test('lead home, and lose no click of another visitor', async () => {
    const { code, token } = await trial.affiliate()
    const [invalid, ...counted] = await Promise.all([
      follow('%00', 'first'),
      follow(`${code}?utm_source=a%00b`, 'second'),
      ...Array.from({ length: 8 }, (_, n) => follow(code, String(n))),
    ])
    assert.deepEqual(invalid, { status: 302, location: `${service.baseUrl}/`, isCounted: false })
    for (const { status, isCounted } of counted) assert.deepEqual([status, isCounted], [302, true])
    const { body } = await service.http<{ clicks: number }>('GET', '/affiliates/dashboard', { token })
    assert.equal(body.clicks, 9)
  })

  test('are refused alone', async () => {
    const { code } = await trial.affiliate()
    const buffer = new ClickBuffer(service.services.db)
    const store = (utmSource: string | null) =>
      buffer.store({
        id: newId(),
        code,
        destination: service.baseUrl,
        utmSource,
        utmMedium: null,
        utmCampaign: null,
        visitor: randomBytes(16),
        bot: false,
        at: new Date(),
      })
    const results = await Promise.allSettled([store(null), store('\0'), store(null)])
    assert.deepEqual(
      results.map(result => (result.status === 'fulfilled' ? result.value : result.status)),
      [true, 'rejected', true],
    )
  })
})
