import assert from 'node:assert/strict'
import { eventually, registerHuman, type Person, type TestService } from '#test'
import type { PagesOf } from './page-list.ts'

const MODELS = ['svc/budget', 'svc/balanced', 'svc/performance']

export const developerPages: PagesOf = async service => {
  const [developer, empty] = [await registerHuman(service), await registerHuman(service)]
  await service.http('POST', '/api/v1/service-accounts', {
    token: developer.token,
    body: { name: 'Build server', scopes: ['agent:read', 'ap2:negotiate'], spendingLimit: 50 },
  })
  await askModels(service, developer)
  return [
    { name: 'api-keys', path: '/app/developer/keys', as: developer },
    { name: 'api-keys-empty', path: '/app/developer/keys', as: empty },
    { name: 'routing-keys', path: '/app/developer/routing-keys', as: developer },
    { name: 'routing-keys-empty', path: '/app/developer/routing-keys', as: empty },
    { name: 'playground', path: '/app/developer/playground', as: developer },
    { name: 'requests', path: '/app/developer/requests', as: developer },
    { name: 'requests-none', path: '/app/developer/requests?outcome=cached', as: developer },
    { name: 'usage', path: '/app/developer/usage', as: developer },
    { name: 'usage-empty', path: '/app/developer/usage', as: empty },
    { name: 'routing-balance', path: '/app/developer/balance', as: developer },
    { name: 'models', path: '/app/developer/models', as: developer },
    { name: 'routing-settings', path: '/app/developer/routing', as: developer },
  ]
}

/** Requests to models of each tier, paid from test credit, until they are recorded. */
async function askModels(service: TestService, { token }: Person): Promise<void> {
  const { body: made } = await service.http<{ key: string }>('POST', '/v1/auth/keys', {
    token,
    body: { name: 'Notebook', limits: { dailyUsd: 5, rpm: 60 } },
  })
  for (const model of MODELS) {
    const { status, text } = await service.http('POST', '/v1/chat/completions', {
      token: made.key,
      body: { model, messages: [{ role: 'user', content: 'Explain escrow in one sentence.' }] },
    })
    assert.equal(status, 201, text)
  }
  await eventually('the requests are recorded', async () => {
    const { body } = await service.http<{ requests: number }>('GET', '/v1/analytics/summary', { token })
    return body.requests === MODELS.length
  })
}
