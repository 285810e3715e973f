import { deliveredDeal, heldDeal, must, negotiate, type DealView, type Market } from './deals.ts'
import { publishAgent, type ListedAgent } from './people.ts'
import type { TestService } from '../service/service.ts'
import type { CallOptions, CanaryClient } from '../openapi/text-fields.ts'

/** A person who used every operation, with the other parties. */
export interface AccountHistory {
  person: { id: string; token: string; walletId: string; email: string; displayName: string }
  /** The other parties. Only text of the person contains canary words. */
  market: Market
  seller: ListedAgent
  /** The agent of the person. */
  agent: { id: string; apiKey: string; slug: string }
  deals: Record<'bought' | 'disputed' | 'awaited' | 'sold' | 'contested' | 'refunded', DealView>
  /** Words in deals that are live at the deletion. */
  living: Set<string>
  /** Words in the work that was paid for. */
  paid: Set<string>
}

/** Text of the buyer in the deals with the person. The deletion does not change it. */
export const KEEPSAKE = { notes: 'keepsake of the buyer', requirements: { keepsake: ['of the buyer'] } }

/** Where no hosted page is opened, the addresses that it links to are not stored. */
export const WITHOUT_PAGE = { returnUrl: null, cancelUrl: null }

/** What is bought is stored with a deal that is paid at once; a negotiated one has said it. */
export const NEGOTIATED = { serviceDescription: null, input: null }

export type Created = { id: string; apiKey: string; slug: string }
export type Call = <Body>(operationId: string, options?: CallOptions) => Promise<Body>

export interface Scene {
  call: Call
  person: AccountHistory['person']
  market: Market
}

export interface Trade extends Scene, Pick<AccountHistory, 'living' | 'paid'> {
  client: CanaryClient
  agent: Created
  seller: ListedAgent
}

/** Adds the words that `run` uses to a set. */
export async function collectWords<T>(
  client: CanaryClient,
  words: Set<string>,
  run: () => Promise<T>,
): Promise<T> {
  const from = client.words.length
  const done = await run()
  for (const { word } of client.words.slice(from)) words.add(word)
  return done
}

export async function buy({
  call,
  client,
  person: { token, walletId },
  market,
  seller,
  living,
}: Trade): Promise<Pick<AccountHistory['deals'], 'bought' | 'disputed' | 'awaited'>> {
  const part = (amount: number) => ({
    key: client.word('negotiate', 'milestones[].key'),
    title: client.word('negotiate', 'milestones[].title'),
    amount,
  })
  const open = (more: Record<string, unknown> = {}) =>
    call<DealView>('negotiate', {
      token,
      body: { responderAgentId: seller.id, budget: 100, service: null, milestones: null, ...more },
    })
  const held = async (more?: Record<string, unknown>) => {
    const { id } = await open(more)
    await must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'COUNTERED', price: 90 })
    const rubric = () => client.word('respondToNegotiation', 'acceptance')
    await call('respondToNegotiation', {
      token,
      body: {
        negotiationId: id,
        status: 'COUNTERED',
        price: 95,
        acceptance: [{ key: rubric(), kind: 'rubric', text: rubric() }],
      },
    })
    await must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })
    await call('initiateAp2Payment', { token, body: { negotiationId: id, ...WITHOUT_PAGE, ...NEGOTIATED } })
    return must(market, 'operator', `/ap2/negotiations/${id}`)
  }
  const bought = await held({ milestones: [part(40), part(60)] })
  const {
    milestones: [first],
  } = bought.escrow
  await must(market, 'seller', '/ap2/deliver', {
    negotiationId: bought.id,
    result: 'first',
    milestoneKey: first?.key,
  })
  const inQuestion = ({ acceptance: [first] }: DealView) => ({ criteria: [first?.key] })
  await call('requestChanges', { token, path: { id: bought.escrowId }, body: inQuestion(bought) })
  await call('releaseEscrow', { token, body: { escrowId: bought.escrowId, acceptUnverified: true } })
  await call('completeAp2Payment', { token, body: { escrowId: bought.escrowId, status: 'SETTLED' } })
  const disputed = await collectWords(client, living, async () => {
    const deal = await held()
    for (const operation of ['openDispute', 'withdrawDispute', 'openDispute']) {
      await call(operation, {
        token,
        path: { id: deal.escrowId },
        body: operation === 'openDispute' ? { asks: 'REFUND', ...inQuestion(deal) } : {},
      })
    }
    return deal
  })
  await must(market, 'seller', `/payments/escrow/${disputed.escrowId}/dispute/respond`, {
    statement: 'keepsake of the seller',
  })
  const awaited = await collectWords(client, living, () => held({ milestones: [part(100)] }))
  await open({ requestedService: null, service: undefined })
  const waiting = await open()
  await must(market, 'seller', '/ap2/respond', { negotiationId: waiting.id, status: 'ACCEPTED' })
  await call('initiateAp2Payment', {
    token,
    body: { negotiationId: waiting.id, rail: 'card', ...NEGOTIATED },
  })
  await collectWords(client, living, () =>
    call('initiateAp2Payment', {
      token,
      body: { destinationWalletId: seller.walletId, sourceWalletId: walletId, amount: 5, ...WITHOUT_PAGE },
    }),
  )
  return { bought, disputed, awaited }
}

/** Requests between the agent of the person and another one, in both directions. */
export async function collaborate({
  call,
  client,
  person: { token },
  market,
  agent,
  seller,
}: Trade): Promise<void> {
  const ids = { requesterAgentId: agent.id, responderAgentId: seller.id }
  await call('requestCollaboration', { token, body: ids })
  const { id: requestId } = await must<{ id: string }>(market, 'seller', '/agents/a2a', {
    requesterAgentId: seller.id,
    responderAgentId: agent.id,
    payload: KEEPSAKE.requirements,
  })
  const text = client.word('callA2aAgent', 'params')
  const rpc = (method: string, params: object) =>
    call<{ result: { id: string } }>('callA2aAgent', {
      token,
      path: { agentId: seller.id },
      body: { jsonrpc: '2.0', id: 1, method, params },
    })
  const message = { role: 'user', messageId: text, contextId: text, parts: [{ kind: 'text', text }] }
  const { result } = await rpc('message/send', { message, metadata: { budget: 1 } })
  await rpc('tasks/cancel', { id: result.id })
  await call('respondToCollaboration', { token, body: { requestId, status: 'ACCEPTED' } })
}

/** Hires an agent on a hosted page, which is left open, and by card, which is paid out. */
export async function hire(service: TestService, { call, person: { token }, seller }: Trade): Promise<void> {
  await call('createAgentCheckout', { token, body: { agentId: seller.id, slug: null, amount: 5 } })
  const { escrowId } = await call<{ escrowId: string }>('createCardPayment', {
    token,
    body: { agentId: seller.id, amount: 5, currency: 'USD', paymentMethodId: 'pm_card_visa' },
  })
  const body = { escrowId, acceptUnverified: true }
  const released = await service.http('POST', '/payments/ap2/release', { token, body })
  if (released.status !== 201) throw new Error(released.text)
  await call('createAgentReview', { token, path: { id: seller.id }, body: { escrowId, rating: 4 } })
}

export async function sell(
  service: TestService,
  trade: Trade,
): Promise<Pick<AccountHistory['deals'], 'sold' | 'contested' | 'refunded'>> {
  const {
    call,
    client,
    living,
    person: { token },
    agent,
    market,
  } = trade
  const toPerson: Market = { ...market, agent: { ...trade.seller, ...agent } }
  const held = async () => {
    const { id } = await negotiate(toPerson, KEEPSAKE)
    await call('respondToNegotiation', {
      token,
      body: { negotiationId: id, status: 'ACCEPTED', price: 100, acceptance: null },
    })
    await must(market, 'buyer', '/payments/ap2/initiate', {
      negotiationId: id,
      memo: KEEPSAKE.notes,
      metadata: KEEPSAKE.requirements,
    })
    return must(market, 'buyer', `/ap2/negotiations/${id}`)
  }
  const sold = await held()
  await work(service, trade, sold)
  const contested = await collectWords(client, living, async () => {
    const deal = await held()
    const page = () =>
      `${service.baseUrl}/sandbox/pages/ok?q=${client.word('deliverToEscrow', 'deliverableUrl')}`
    await call('deliverToEscrow', {
      token,
      path: { id: deal.escrowId },
      body: { deliverableUrl: page() },
      refused: 400,
    })
    await call('deliverToEscrow', {
      token,
      path: { id: deal.escrowId },
      body: {
        deliverableUrl: page(),
        verificationHints: {
          expectText: 'Release notes',
          url: client.word('deliverToEscrow', 'verificationHints.url'),
        },
        artifacts: [{ name: client.word('deliverToEscrow', 'artifacts[].name'), url: page() }],
      },
    })
    await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/dispute`, {
      reason: 'keepsake: it was late',
    })
    await call('answerDispute', { token, path: { id: deal.escrowId } })
    return deal
  })
  const refunded = await held()
  await call('refundEscrow', { token, path: { id: refunded.escrowId } })
  await decide(service, trade)
  return { sold, contested, refunded }
}

/** Delivers twice: an attempt that fails and one that is paid for. */
async function work(
  service: TestService,
  { call, client, person: { token }, paid, agent, market }: Trade,
  sold: DealView,
): Promise<void> {
  const headers = { 'x-agent-api-key': agent.apiKey }
  const deliverableUrl = `${service.baseUrl}/sandbox/pages/ok?q=${client.word('deliver', 'deliverableUrl')}`
  await call('deliver', { headers, body: { negotiationId: sold.id, deliverableUrl }, refused: 400 })
  const from = client.words.length
  await call('deliver', {
    headers,
    body: {
      negotiationId: sold.id,
      deliverableUrl: null,
      verificationHints: null,
      result: { work: client.word('deliver', 'result') },
      // The verifier opens every URL of a delivery.
      artifacts: [
        {
          name: client.word('deliver', 'artifacts[].name'),
          url: `${service.baseUrl}/sandbox/pages/ok?q=${client.word('deliver', 'artifacts[].url')}`,
        },
      ],
    },
  })
  for (const { text, word } of client.words.slice(from))
    if (/^deliver (?:result|artifacts)/.test(text)) paid.add(word)
  const released = await service.http('POST', '/payments/ap2/release', {
    token: market.buyer.token,
    body: { escrowId: sold.escrowId, memo: KEEPSAKE.notes },
  })
  if (released.status !== 200 && released.status !== 201) throw new Error(released.text)
  const review = await must<{ id: string }>(market, 'buyer', `/agents/${agent.id}/reviews`, {
    negotiationId: sold.id,
    rating: 5,
    comment: KEEPSAKE.notes,
  })
  await call('replyToAgentReview', { token, path: { id: agent.id, reviewId: review.id } })
}

/** Lets the person decide deals of other accounts as an operator. */
async function decide(service: TestService, { call, person: { token }, market }: Trade): Promise<void> {
  const other = { ...market, agent: await publishAgent(service, market.outsider) }
  const frozen = await heldDeal(other)
  const revoked = await service.http('POST', `/agents/${other.agent.id}/revoke-key`, {
    token: market.outsider.token,
  })
  if (revoked.status !== 200) throw new Error(revoked.text)
  await call('unfreezeEscrow', { token, path: { id: frozen.escrowId } })
  const delivered = await deliveredDeal(market)
  await must(market, 'buyer', `/payments/escrow/${delivered.escrowId}/dispute`, { reason: 'keepsake' })
  await call('resolveEscrow', { token, path: { id: delivered.escrowId }, body: { outcome: 'RELEASE' } })
}
