import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  linkTo,
  mailsSettled,
  openMarket,
  negotiate,
  publishAgent,
  registerHuman,
  sharedService,
  WebhookReceiver,
  type TestService,
} from '#test'

let service: TestService
let receiver: WebhookReceiver
before(async () => {
  service = await sharedService()
  receiver = await WebhookReceiver.open()
})
after(async () => {
  receiver.close()
  await service.close()
})

test('the webhook of the registrant and its secret end when the address is proved', async () => {
  const registrant = await registerHuman(service)
  const agent = await publishAgent(service, registrant)
  const path = `/agents/${agent.id}/webhook`
  const set = (token: string) =>
    service.http<{ secret: string | null }>('PUT', path, { token, body: { url: receiver.url } })
  const known = (await set(registrant.token)).body.secret
  assert.ok(known)
  receiver.answer = () => 500
  await negotiate({ ...(await openMarket(service)), agent })
  await receiver.until(({ messages }) => messages.length > 0)

  await service.http('POST', '/auth/magic-link/request', { body: { email: registrant.email } })
  await mailsSettled(service)
  const { body } = await service.http<{ accessToken: string }>('POST', '/auth/magic-link/consume', {
    body: { token: await linkTo(service, registrant.email, 'login') },
  })
  const token = body.accessToken
  assert.equal((await service.http('GET', path, { token })).status, 404)
  const { items } = (
    await service.http<{ items: { status: string }[] }>('GET', `${path}/deliveries`, { token })
  ).body
  assert.deepEqual(
    items.map(item => item.status),
    ['CANCELLED'],
  )
  const { secret } = (await set(token)).body
  assert.ok(secret)
  assert.notEqual(secret, known)
})
