import assert from 'node:assert/strict'
import { newId } from '../../../server/platform/kernel/id.ts'
import { acceptedDeal, must, registerHuman, type Market } from '#test'
import { OPERATIONS } from '../document/document.ts'
import { accessToken, keyCredentials, NONE } from '../tenants/tenants.ts'
import { judge } from './judge.ts'
import { sendDraft, type Credential, type Draft, type Reply } from './request.ts'

/** Requests that the fuzzer found, each with the status that it is answered now. */
export const REGRESSIONS: Record<string, (market: Market) => Promise<void>> = {
  'an id that is longer than any is a 400': async market => {
    await expectReply(market, 'GET /wallets/{id}', 400, { path: { id: 'x'.repeat(600) } })
  },
  'a redirect has no body': async market => {
    await expectReply(market, 'GET /affiliates/r/{code}', 302, { path: { code: 'unknown' } })
    await expectReply(market, 'GET /sandbox/pages/redirect-private', 302, {})
  },
  'errors in the form of Anthropic and OpenAI fit the document': async market => {
    await expectReply(market, 'POST /v1/messages', 401, { body: { value: {} } })
    const body = { value: { input: 'x' } }
    await expectReply(market, 'POST /v1/responses', 401, { body, headers: { 'x-stainless-lang': 'js' } })
  },
  'a suspended account is a 403 for offers and token counts': async market => {
    const { id, token } = await registerHuman(market.service)
    const { body } = await market.service.http<{ key: string }>('POST', '/v1/auth/keys', { token, body: {} })
    const suspended = await market.service.http('POST', `/admin/users/${id}/suspend`, {
      token: market.admin,
      body: { reason: 'test' },
    })
    assert.equal(suspended.status, 200, suspended.text)
    const [key] = keyCredentials(body.key)
    const messages = { value: { model: 'auto', messages: [{ role: 'user', content: 'x' }] } }
    await expectReply(market, 'POST /v1/messages/count_tokens', 403, { credential: key, body: messages })
    const path = { id: newId() }
    await expectReply(market, 'GET /market/needs/{id}/offers', 403, { credential: accessToken(token), path })
  },
  'a payout in USDC without a wallet for it is a 404': async market => {
    const value = { amount: 1, rail: 'chain', toAddress: `0x${'b'.repeat(40)}` }
    await expectReply(market, 'POST /payouts/user/request', 404, {
      body: { value },
      credential: buyerOf(market),
    })
  },
  'a need of an unknown agent is a 404': async market => {
    const value = { agentId: newId(), title: 'Notes', budget: 10 }
    await expectReply(market, 'POST /market/needs', 404, { body: { value }, credential: buyerOf(market) })
  },
  'the sums of an unknown account are a 404': async market => {
    const query = [
      ['from', new Date(Date.now() - 86_400_000).toISOString()],
      ['ownerId', newId()],
    ] as const
    await expectReply(market, 'GET /wallets/totals', 404, { query, credential: buyerOf(market) })
  },
  'an onboarding link of a deleted account is a 404': async market => {
    const { token } = await registerHuman(market.service)
    const { body, text } = await market.service.http<{ onboardingUrl: string }>(
      'POST',
      '/payouts/user/setup',
      {
        token,
        body: {},
      },
    )
    assert.ok(body.onboardingUrl, text)
    assert.equal((await market.service.http('DELETE', '/users/me', { token })).status, 204)
    const path = { id: body.onboardingUrl.split('/').at(-1) ?? '' }
    const details = { value: { accountNumber: '000123456789' } }
    await expectReply(market, 'POST /sandbox/onboarding/{id}', 404, { path, body: details })
  },
  'a sign-in by cookie that another site asks for is a 400': async market => {
    await expectReply(market, 'POST /sandbox/samples', 400, { headers: { 'x-svc-session': 'cookie' } })
  },
  'the delivery of an unknown file is a 404': async market => {
    const { id: negotiationId } = await acceptedDeal(market)
    await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId })
    const value = { negotiationId, artifacts: [{ name: 'Notes', vaultId: newId() }] }
    const [credential] = keyCredentials(market.agent.apiKey)
    await expectReply(market, 'POST /ap2/deliver', 404, { body: { value }, credential })
  },
  'a 503 for the processor says when to try again': async market => {
    const credential = accessToken(market.admin)
    const broken = { value: { kind: 'not_reached', count: 1 } }
    await expectReply(market, 'POST /sandbox/processor/faults', 201, { body: broken, credential })
    const { headers } = await expectReply(market, 'POST /admin/reconciliation', 503, {
      body: { value: {} },
      credential,
    })
    assert.equal(headers['retry-after'], '5')
  },
}

const buyerOf = ({ buyer }: Market): Credential => accessToken(buyer.token)

/** One request; its reply has the status and nothing that the judge finds. */
async function expectReply(
  { service }: Market,
  name: string,
  status: number,
  parts: Partial<Draft>,
): Promise<Reply> {
  const operation = OPERATIONS.find(each => each.name === name) ?? assert.fail(name)
  const draft: Draft = { operation, tenant: 0, credential: NONE, path: {}, query: [], headers: {}, ...parts }
  // These are tests of the status.
  const reply = await sendDraft(service.baseUrl, {
    ...draft,
    headers: { ...draft.headers, 'user-agent': 'regressions' },
  })
  assert.equal(reply.status, status, `${name}: ${reply.text}`)
  const reader = { tag: '', isAdmin: false, isAnonymous: true, isRelatedTo: () => false }
  assert.deepEqual(judge(draft, reply, reader), [])
  return reply
}
