import { deliveredDeal, heldDeal, must, negotiate, openMarket, type DealView, type Market } from './deals.ts'
import { fund, makeAdmin, publishAgent, registerHuman, type ListedAgent, type Person } from './people.ts'
import { pendingPage } from './processor.ts'
import type { TestService } from './service.ts'
import type { Saying, Speaker } from './words.ts'

/** Somebody who used everything that there is, and those who dealt with them. */
export interface Life {
  person: { id: string; token: string; walletId: string; email: string; displayName: string }
  /** Buys from others and sells to the person; nobody's words but the person's are canaries. */
  market: Market
  seller: ListedAgent
  /** The person's own. */
  agent: { id: string; apiKey: string; slug: string }
  deals: Record<'bought' | 'disputed' | 'awaited' | 'sold' | 'contested' | 'refunded', DealView>
  /** Words of deals that are alive at the deletion. */
  living: Set<string>
  /** Words of the work that was paid for. */
  paid: Set<string>
}

/** Of the buyer's release of `sold`. */
export const RELEASE_KEY = { 'idempotency-key': 'release-of-sold' }

const PASSWORD = 'correct horse battery staple'
type Created = { id: string; apiKey: string; slug: string }
type Say = <Body>(operationId: string, saying?: Saying) => Promise<Body>

/** The person's life up to the deletion: three deals as a buyer and three as a seller, one of each still alive. */
export async function live(service: TestService, speaker: Speaker, say: Say): Promise<Life> {
  const market = await openMarket(service)
  const seller = market.agent
  const person = await register(service, say)
  const agent = await listings(say, person)
  await keysAndMoney(service, { say, person, market })
  await operate(service, { say, person, market })
  const living = new Set<string>()
  const paid = new Set<string>()
  const trade: Trade = { say, speaker, person, agent, market, seller, living, paid }
  const deals = { ...await buy(trade), ...await sell(service, trade) }
  return { person, market, seller, agent, deals, living, paid }
}

async function register(service: TestService, say: Say): Promise<Life['person']> {
  const { user: { id, email }, accessToken: token } = await say<{ user: Person; accessToken: string }>('register', { body: { password: PASSWORD } })
  const { displayName } = await say<{ displayName: string }>('updateOwnAccount', { token, body: { email: null } })
  await say('updateOwnAccount', { token, body: { displayName } })
  await makeAdmin(service, { id })
  const { body: { id: walletId } } = await service.http<{ id: string }>('GET', `/wallets/user/${id}`, { token })
  return { id, token, walletId, email, displayName }
}

async function listings(say: Say, { token }: Life['person']): Promise<Created> {
  await say('announceAgent', { token })
  const first = await say<Created>('createAgent', { token })
  await say('replaceAgent', { token, path: { id: first.id } })
  await say('updateAgent', { token, path: { id: first.id } })
  await say('submitAgent', { token, path: { id: first.id } })
  // Buyers' results must fit the schema of the one that is hired.
  const hired = await say<Created>('createAgent', { token, body: { outputSchema: null } })
  await say('publishAgent', { token, path: { id: hired.id } })
  return hired
}

interface Scene { say: Say; person: Life['person']; market: Market }

async function keysAndMoney(service: TestService, { say, person: { token, walletId }, market }: Scene): Promise<void> {
  await say('createServiceAccount', { token })
  const { id } = await say<Created>('createApiKey', { token })
  await say('updateServiceAccount', { token, path: { id } })
  const organization = await say<Created>('createOrganization', { token })
  await say('renameOrganization', { token, path: { slug: organization.slug } })
  const hosted = await say<{ checkout: { id: string } }>('fundWallet', { token, path: { id: walletId }, body: { amount: 900, rail: 'checkout' } })
  const paid = await service.http('POST', `/sandbox/checkout/${hosted.checkout.id}`, { body: { paymentMethodId: 'pm_card_visa' } })
  if (paid.status !== 200) throw new Error(paid.text)
  await say('fundWallet', { token, path: { id: walletId }, body: { amount: 5 } })
  await say('transferFromWallet', { token, path: { id: walletId }, body: { toWalletId: market.buyer.walletId, amount: 2 } })
}

/** Money that names a payment of somebody and is of another amount: its id at the processor. */
async function suspended(service: TestService, { stranger, admin }: Market): Promise<string> {
  const { intent } = await pendingPage(service, 15, stranger)
  await service.http('POST', '/sandbox/processor/events', { token: admin, body: { type: 'payment_intent.succeeded', data: { object: { ...intent, amount_received: 1400 } } } })
  return intent.id
}

/** The wallet of a deleted account that left money behind. */
async function abandoned(service: TestService): Promise<string> {
  const person = await registerHuman(service)
  await fund(service, person, 5)
  await service.http('DELETE', '/users/me', { token: person.token })
  return person.walletId
}

async function operate(service: TestService, { say, person: { token }, market }: Scene): Promise<void> {
  const { stranger, buyer, admin } = market
  for (const act of ['suspendUser', 'reinstateUser']) await say(act, { token, path: { id: stranger.id } })
  const other = await publishAgent(service, stranger)
  for (const act of ['suspendAgent', 'reinstateAgent']) await say(act, { token, path: { id: other.id } })
  const { body: submitted } = await service.http<Created>('POST', '/agents', { token: stranger.token, body: { name: 'Submitted' } })
  await service.http('POST', `/agents/${submitted.id}/submit`, { token: stranger.token, body: {} })
  await say('reviewAgent', { token, path: { id: submitted.id }, body: { decision: 'APPROVED' } })
  await say('issueTestCredit', { token, body: { walletId: buyer.walletId, amount: 3 } })
  await say('assignSuspense', { token, path: { id: await suspended(service, market) }, body: { walletId: stranger.walletId } })
  await say('returnSuspense', { token, path: { id: await suspended(service, market) } })
  await say('assignUnclaimed', { token, path: { walletId: await abandoned(service) }, body: { toWalletId: stranger.walletId } })
  const order = { fromWalletId: buyer.walletId, toWalletId: stranger.walletId }
  await say('adminTransfer', { token, body: { ...order, amount: 4 } })
  await say('stepUp', { token, body: { password: PASSWORD } })
  await say('adminTransfer', { token, body: { ...order, amount: 200 } })
  for (const decision of ['approveApproval', 'rejectApproval']) {
    const { body, text } = await service.http<{ approval: { id: string } }>('POST', '/wallets/transfer', {
      token: admin, body: { ...order, amount: 200, reason: 'Correction' },
    })
    if (!body.approval) throw new Error(text)
    await say(decision, { token, path: { id: body.approval.id } })
  }
}

interface Trade extends Scene, Pick<Life, 'living' | 'paid'> { speaker: Speaker; agent: Created; seller: ListedAgent }

/** Adds the words that are said meanwhile to a set. */
async function noting<T>(speaker: Speaker, words: Set<string>, act: () => Promise<T>): Promise<T> {
  const from = speaker.words.length
  const done = await act()
  for (const { word } of speaker.words.slice(from)) words.add(word)
  return done
}

async function buy({ say, speaker, person: { token }, market, seller, living }: Trade): Promise<Pick<Life['deals'], 'bought' | 'disputed' | 'awaited'>> {
  const part = (amount: number) => ({ key: speaker.word('negotiate', 'milestones[].key'), title: speaker.word('negotiate', 'milestones[].title'), amount })
  const open = (more: Record<string, unknown> = {}) => say<DealView>('negotiate', {
    token, body: { responderAgentId: seller.id, budget: 100, service: null, milestones: null, ...more },
  })
  const held = async (more?: Record<string, unknown>) => {
    const { id } = await open(more)
    await must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'COUNTERED', price: 90 })
    await say('respondToNegotiation', { token, body: { negotiationId: id, status: 'COUNTERED', price: 95 } })
    await must(market, 'seller', '/ap2/respond', { negotiationId: id, status: 'ACCEPTED' })
    await say('initiateAp2Payment', { token, body: { negotiationId: id } })
    return must(market, 'operator', `/ap2/negotiations/${id}`)
  }
  const bought = await held({ milestones: [part(40), part(60)] })
  const { milestones: [first] } = bought.escrow
  await must(market, 'seller', '/ap2/deliver', { negotiationId: bought.id, result: 'first', milestoneKey: first?.key })
  await say('requestChanges', { token, path: { id: bought.escrowId } })
  await say('releaseEscrow', { token, body: { escrowId: bought.escrowId, acceptUnverified: true } })
  await say('completeAp2Payment', { token, body: { escrowId: bought.escrowId, status: 'SETTLED' } })
  const disputed = await noting(speaker, living, async () => {
    const deal = await held()
    for (const act of ['openDispute', 'withdrawDispute', 'openDispute']) {
      await say(act, { token, path: { id: deal.escrowId }, body: act === 'openDispute' ? { asks: 'REFUND' } : {} })
    }
    return deal
  })
  await must(market, 'seller', `/payments/escrow/${disputed.escrowId}/dispute/respond`, { statement: 'keepsake of the seller' })
  const awaited = await noting(speaker, living, () => held({ milestones: [part(100)] }))
  await open({ requestedService: null, service: undefined })
  return { bought, disputed, awaited }
}

async function sell(service: TestService, trade: Trade): Promise<Pick<Life['deals'], 'sold' | 'contested' | 'refunded'>> {
  const { say, speaker, living, person: { token, email, displayName }, agent, market } = trade
  const toPerson: Market = { ...market, agent: { ...trade.seller, ...agent } }
  const naming = { notes: `keepsake for ${displayName.toUpperCase()} <${email}>`, requirements: { to: [email], keepsake: true } }
  const held = async () => {
    const { id } = await negotiate(toPerson, naming)
    await say('respondToNegotiation', { token, body: { negotiationId: id, status: 'ACCEPTED', price: 100 } })
    await must(market, 'buyer', '/payments/ap2/initiate', { negotiationId: id, memo: `to ${email}`, metadata: { [email]: 'keepsake' } })
    return must(market, 'buyer', `/ap2/negotiations/${id}`)
  }
  const sold = await held()
  await work(service, trade, sold)
  const contested = await noting(speaker, living, async () => {
    const deal = await held()
    const page = () => `${service.baseUrl}/sandbox/pages/ok?q=${speaker.word('deliverToEscrow', 'deliverableUrl')}`
    await say('deliverToEscrow', { token, path: { id: deal.escrowId }, body: { deliverableUrl: page() }, refused: 400 })
    await say('deliverToEscrow', { token, path: { id: deal.escrowId }, body: {
      deliverableUrl: page(), verificationHints: { expectText: 'Release notes', url: speaker.word('deliverToEscrow', 'verificationHints.url') },
      artifacts: [{ name: speaker.word('deliverToEscrow', 'artifacts[].name'), url: page() }],
    } })
    await must(market, 'buyer', `/payments/escrow/${deal.escrowId}/dispute`, { reason: `keepsake: ${email} was late` })
    await say('answerDispute', { token, path: { id: deal.escrowId } })
    return deal
  })
  const refunded = await held()
  await say('refundEscrow', { token, path: { id: refunded.escrowId } })
  await decide(service, trade)
  return { sold, contested, refunded }
}

/** An attempt that fails, and one that is paid for. */
async function work(service: TestService, { say, speaker, paid, person: { displayName }, agent, market }: Trade, sold: DealView): Promise<void> {
  const headers = { 'x-agent-api-key': agent.apiKey }
  const deliverableUrl = `${service.baseUrl}/sandbox/pages/ok?q=${speaker.word('deliver', 'deliverableUrl')}`
  await say('deliver', { headers, body: { negotiationId: sold.id, deliverableUrl }, refused: 400 })
  const from = speaker.words.length
  await say('deliver', { headers, body: {
    negotiationId: sold.id, deliverableUrl: null, verificationHints: null, result: { by: displayName, work: speaker.word('deliver', 'result') },
    // Every URL of a delivery is opened.
    artifacts: [{ name: speaker.word('deliver', 'artifacts[].name'), url: `${service.baseUrl}/sandbox/pages/ok?q=${speaker.word('deliver', 'artifacts[].url')}` }],
  } })
  for (const { text, word } of speaker.words.slice(from)) if (/^deliver (?:result|artifacts)/.test(text)) paid.add(word)
  const released = await service.http('POST', '/payments/ap2/release', {
    token: market.buyer.token, headers: RELEASE_KEY, body: { escrowId: sold.escrowId, memo: `for ${displayName}` },
  })
  if (released.status !== 200 && released.status !== 201) throw new Error(released.text)
}

/** The person as an operator of others' deals. */
async function decide(service: TestService, { say, person: { token }, market }: Trade): Promise<void> {
  const other = { ...market, agent: await publishAgent(service, market.stranger) }
  const frozen = await heldDeal(other)
  const revoked = await service.http('POST', `/agents/${other.agent.id}/revoke-key`, { token: market.stranger.token })
  if (revoked.status !== 200) throw new Error(revoked.text)
  await say('unfreezeEscrow', { token, path: { id: frozen.escrowId } })
  const delivered = await deliveredDeal(market)
  await must(market, 'buyer', `/payments/escrow/${delivered.escrowId}/dispute`, { reason: 'keepsake' })
  await say('resolveEscrow', { token, path: { id: delivered.escrowId }, body: { outcome: 'RELEASE' } })
}

/** Accounts that are made in the other ways, signed in. */
export async function others(service: TestService, say: Say, internalSecret: string): Promise<{ id: string; token: string }[]> {
  const { startSession } = await import('#identity')
  const own = { walletAddress: '0x52908400098527886E0F7030069857D2E4169EE7' }
  const made = await say<{ user: { id: string }; accessToken: string }>('registerAgentAccount', { body: { walletType: 'own', ...own } })
  const exchanged = await say<{ user: { id: string }; accessToken: string }>('exchangeSession', {
    headers: { 'x-internal-secret': internalSecret }, body: { emailVerified: true },
  })
  const selfMade = await say<{ user: { id: string } }>('selfRegisterAgent')
  const listed = await say<{ agentId: string }>('registerListedAgent', { body: { walletType: 'PROVIDED', ...own } })
  const { rows: [owner] } = await service.services.db.pool.query<{ id: string }>('select owner_id as id from agents_agent where id = $1', [listed.agentId])
  const signedIn = await Promise.all([selfMade.user.id, owner?.id ?? ''].map(async id => {
    const { accessToken } = await service.services.db.transaction(tx => startSession(tx, service.services, { id }, { method: 'test' }))
    return { id, token: accessToken }
  }))
  return [...[made, exchanged].map(({ user, accessToken }) => ({ id: user.id, token: accessToken })), ...signedIn]
}

