import assert from 'node:assert/strict'
import { registerHuman, type TestService } from '#test'
import type { Books } from './books.ts'

/** The first routing key of an account comes with test credit. */
export async function driveRoutingKeys(service: TestService, books: Books): Promise<void> {
  const ada = await registerHuman(service)
  await books.drive('routingTestCredit', async () => {
    const options = { token: ada.token, body: {} }
    const { status, body } = await service.http<{ id: string }>('POST', '/v1/auth/keys', options)
    assert.equal(status, 201)
    return { key: body.id, account: ada.id }
  })
}
