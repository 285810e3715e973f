import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstAdminLink } from '#identity'
import { newId } from '#platform/kernel/id'
import { linkTo, publishAgent, registerHuman, startTestService } from '#test'

/** Refusals that no other test comes to: every status that the document names is answered once in a run (bin/ci/answers.ts). */

const PASSWORD = 'correct horse battery staple'

test('an address that was taken meanwhile is a 409: at the set-up, and where a change is confirmed', async () => {
  const service = await startTestService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' })
  try {
    const taken = await registerHuman(service)
    const token = (await firstAdminLink(service.services))?.split('/').at(-1)
    const setUp = await service.http('POST', '/auth/setup', {
      body: { token, email: taken.email, password: PASSWORD },
    })
    assert.equal(setUp.status, 409, setUp.text)
    const person = await registerHuman(service)
    const email = `wished.${person.email}`
    assert.equal(
      (await service.http('PATCH', '/users/me', { token: person.token, body: { email } })).status,
      200,
    )
    const link = await linkTo(service, email, 'verify')
    assert.equal(
      (
        await service.http('POST', '/auth/register', {
          body: { email, displayName: 'Faster', password: PASSWORD },
        })
      ).status,
      201,
    )
    assert.equal((await service.http('POST', '/auth/verify-email', { body: { token: link } })).status, 409)
  } finally {
    await service.close()
  }
})

test('a taken slug is 409 when announcing, an unknown agent 404 when listing', async () => {
  const service = await startTestService()
  try {
    const person = await registerHuman(service)
    const { slug } = await publishAgent(service, person)
    const announced = await service.http<{ suggestions: string[] }>('POST', '/agents/announce', {
      token: person.token,
      body: { name: 'Second', slug },
    })
    assert.deepEqual([announced.status, announced.body.suggestions.length > 0], [409, true], announced.text)
    for (const path of ['/ap2/negotiations', '/payments/escrow']) {
      assert.equal(
        (await service.http('GET', `${path}?agentId=${newId()}`, { token: person.token })).status,
        404,
        path,
      )
    }
  } finally {
    await service.close()
  }
})
