import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { checkLedger, sealLedger, verifyLedgerChain } from '#ledger'
import { sealAudit, verifyAuditChain } from '#platform/kernel/audit'
import { as, must, startTestService, type Market, type TestService } from '#test'
import { createAccountHistory, registerOtherAccounts } from '../../../test/support/people/account-history.ts'
import { KEEPSAKE, type AccountHistory } from '../../../test/support/people/account-history-deals.ts'
import { UNPAID_ADDRESS } from '../../../test/support/people/account-history-payments.ts'
import { allTexts, CanaryClient, type CallOptions } from '../../../test/support/openapi/text-fields.ts'

const INTERNAL_SECRET = 'internal-secret-of-the-test-0123456789'
const DAY = 86_400

/** What models are asked, all but the end user who asked it. */
const GOES_TO_MODEL =
  /^(?:create(?:ChatCompletion|Message|Response|Embeddings) (?!user$|metadata\.user_id$)|countMessageTokens |previewRoute(?:ByAlias)? )/

/** Operations whose text the person does not author. */
const NOT_AUTHORED: [RegExp, string][] = [
  [/^receive/, 'the processor says it'],
  [/^(?:emitProcessorEvent|openSandboxDispute)/, 'an operator plays the processor'],
  [/^(?:initiateX402Payment (?:network|asset)$|giveTestUsdc )/, 'names a network, a token or an address'],
  [/^setUpFirstAdmin/, 'a registration, only before there is an admin'],
  [
    /^(?:login|agentLogin|resendVerification|forgotPassword|requestMagicLink|addOrganizationMember) /,
    'names an account that is there',
  ],
  [/^callA2a(?:Agent (?:jsonrpc|id|method)| .*)$/, 'is stored nowhere, or is what callA2aAgent stores'],
  [/^(?:createAgentCheckout slug|createCardPayment currency)$/, 'names an agent or a currency that is there'],
  [/^authorizeOAuthClient /, 'a program sends it, and the page passes it on'],
  [/^markNotificationsRead /, 'names an entry that is there'],
  [/^recordProviderInvoice /, 'names an invoice of a provider'],
  [/^syncModels /, 'names models, moments and prices'],
  [GOES_TO_MODEL, 'goes to a model; a part of it is sent, to find that it is not stored'],
  [/^verifyPassport passport$/, 'a document that this service signed; it is compared and not stored'],
]
/** Text that is not stored, or not in the clear. */
const NEVER_STORED =
  /^(?:completeAp2Payment .*|withdrawDispute memo|updateOwnAccount email|submitChargebackEvidence text|makeAffiliateLink .*)$/
const isNeverStored = (text: string): boolean => NEVER_STORED.test(text) || GOES_TO_MODEL.test(text)

suite('text that a deleted person wrote, in any field of any operation', () => {
  let service: TestService
  let client: CanaryClient
  let history: AccountHistory
  let rest: { id: string; token: string }[]
  const stored = new Set<string>()

  before(async () => {
    service = await startTestService({
      INTERNAL_SECRET,
      ADMIN_TRANSFER_LIMIT_USD: '100',
      SVC_CHAIN: 'local',
      CHAIN_CONFIRMATIONS: '2',
      X402_WEBHOOK_SECRET: 'a chain webhook secret of this test',
    })
    client = new CanaryClient(service)
    history = await createAccountHistory(service, client, call)
    rest = await registerOtherAccounts(service, call, INTERNAL_SECRET)
    await recordStoredWords()
  })
  after(() => service.close())

  /** Sends one call. Records the stored words first if it may overwrite them. */
  async function call<Body>(operationId: string, options: CallOptions = {}): Promise<Body> {
    if (/^(?:update|replace|rename)/.test(operationId)) await recordStoredWords()
    const headers = { 'x-request-id': 'canary-request', 'user-agent': 'canary-browser', ...options.headers }
    const { body } = await client.call<Body>(operationId, { ...options, headers })
    return body
  }

  const found = (text: string): string[] => text.match(/canary\d{4}z/g) ?? []
  const fieldOf = (word: string): string => client.words.find(each => each.word === word)?.text ?? word
  const query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await service.services.db.pool.query<Row>(text, values)).rows

  /** Every row of every table as text. */
  async function dump(): Promise<string> {
    const tables = await query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')",
    )
    const statement = tables
      .map(({ name }) => `select '${name} ' || t::text as text from ${name} t`)
      .join(' union all ')
    return (await query<{ text: string }>(statement))
      .map(row => row.text)
      .join('\n')
      .toLowerCase()
  }
  async function recordStoredWords(): Promise<void> {
    for (const word of found(await dump())) stored.add(word)
  }
  const linesWith = (text: string, word: string) =>
    text.split('\n').filter(line => line.includes(word.toLowerCase()))

  const remove = async (token: string) =>
    assert.equal((await service.http('DELETE', '/users/me', { token })).status, 204)

  test('is written by this test and stored before the deletion', () => {
    const used = new Set(client.words.map(each => each.text))
    const unused = allTexts().filter(
      text => !used.has(text) && !NOT_AUTHORED.some(([pattern]) => pattern.test(text)),
    )
    assert.deepEqual(
      unused,
      [],
      'a new text needs a step in test/support/people/account-history.ts, and the module that stores it an erasure',
    )
    const missing = client.words.filter(({ text, word }) => !stored.has(word) && !isNeverStored(text))
    assert.deepEqual(missing, [])
    assert.deepEqual(
      client.words.filter(({ text, word }) => stored.has(word) && isNeverStored(text)),
      [],
    )
  })

  test('is erased at once, except from live deals; so are the identifying fields', async () => {
    const { market, deals, person } = history
    for (const { token } of [person, ...rest]) await remove(token)
    const text = await dump()
    const { living, paid } = history
    assert.deepEqual(
      found(text)
        .filter(word => !living.has(word) && !paid.has(word))
        .map(fieldOf),
      [],
    )
    for (const name of [
      person.email,
      person.displayName,
      'canary-request',
      'canary-browser',
      '0x52908400098527886E0F7030069857D2E4169EE7',
      UNPAID_ADDRESS,
    ]) {
      assert.deepEqual(linesWith(text, name), [], name)
    }
    // The person's pending approvals expire.
    const orders = await query<{ kind: string; status: string }>(
      'select kind, status from identity_approval where requested_by = $1 order by kind',
      [person.id],
    )
    assert.deepEqual(
      orders,
      ['payouts.payout', 'wallet.transfer'].map(kind => ({ kind, status: 'EXPIRED' })),
    )
    // The seller can still read the request of a live deal.
    const awaited = await must<{
      requirements: object
      requestedService: string
      milestones: { key: string }[]
    }>(market, 'seller', `/ap2/negotiations/${deals.awaited.id}`)
    assert.match(JSON.stringify(awaited), /requirements":\{"deep":\["canary\d{4}z/)
    assert.deepEqual(found(awaited.requestedService).length, 1)
  })

  test('is erased from a live deal when the deal ends', async () => {
    const { market, deals } = history
    const [milestone] = (await must(market, 'seller', `/ap2/negotiations/${deals.awaited.id}`)).escrow
      .milestones
    await must(market, 'seller', '/ap2/deliver', {
      negotiationId: deals.awaited.id,
      result: 'made',
      milestoneKey: milestone?.key,
    })
    await service.advance(400 * DAY)
    const text = await dump()
    assert.deepEqual(
      found(text)
        .filter(word => !history.paid.has(word))
        .map(fieldOf),
      [],
    )
    for (const { id } of Object.values(deals)) {
      const [row] = await query<{ ended: boolean }>(
        'select ended_at is not null as ended from ap2_negotiation where id = $1',
        [id],
      )
      assert.equal(row?.ended, true)
    }
  })

  test('leaves to the counterparty its own text and the work that it paid for', async () => {
    const { market, deals } = history
    const { deliveries } = (await must(market, 'buyer', `/ap2/negotiations/${deals.sold.id}`)).escrow
    const [failed, paid] = await Promise.all(
      deliveries.map(({ url }) => must<Record<string, unknown>>(market, 'buyer', url)),
    )
    const work = client.words.findLast(each => each.text === 'deliver result')?.word
    assert.deepEqual(paid?.result, { work })
    assert.deepEqual(
      [failed?.result, failed?.deliverableUrl, failed?.artifacts, failed?.notes, paid?.notes],
      [null, null, [], null, null],
    )
    for (const deal of [deals.sold, deals.contested, deals.refunded]) {
      const { body } = await as<{
        notes: string
        requirements: object
        escrow: { memo: string; metadata: object }
      }>(market, 'buyer', `/ap2/negotiations/${deal.id}`)
      const { notes, requirements, escrow } = body
      assert.deepEqual({ notes, requirements }, KEEPSAKE)
      assert.deepEqual({ notes: escrow.memo, requirements: escrow.metadata }, KEEPSAKE)
    }
  })

  test('leaves deals that the counterparty and admins read as documented', async () => {
    const { market, deals, agent, seller, person } = history
    const { fits } = await import('../../../test/support/openapi/documented.ts')
    for (const role of ['buyer', 'operator', 'seller'] as const) {
      const own =
        role === 'operator'
          ? Object.values(deals)
          : role === 'buyer'
            ? [deals.sold, deals.contested, deals.refunded]
            : [deals.bought, deals.disputed, deals.awaited]
      for (const { id, escrowId } of own) {
        for (const path of [
          `/ap2/negotiations/${id}`,
          `/payments/escrow/${escrowId}`,
          `/payments/ap2/escrows/${escrowId}/reconciliation`,
          `/payments/escrow/${escrowId}/events`,
        ])
          await reads(market, role, path)
      }
      for (const path of ['/ap2/negotiations', '/payments/escrow'])
        if (role !== 'operator') await reads(market, role, path)
    }
    for (const path of [
      `/agents/${agent.id}`,
      `/trust/${agent.id}/score`,
      `/trust/${seller.id}/score`,
      `/wallets/${market.buyer.walletId}/transactions`,
    ])
      await reads(market, 'buyer', path)
    for (const path of ['/admin/approvals', `/admin/audit?actorId=${person.id}`])
      await reads(market, 'operator', path)

    async function reads(from: Market, role: 'buyer' | 'operator' | 'seller', path: string) {
      const answer = await as(from, role, path)
      assert.equal(answer.status, 200, `${role} ${path}: ${answer.text}`)
      assert.deepEqual(fits(path, answer.body), [], `${role} ${path}`)
    }
  })

  test('leaves the ledger, its seals and those of the audit log valid', async () => {
    const { db } = service.services
    await sealLedger(db, service.services.secrets)
    await sealAudit(db, service.services.secrets)
    assert.deepEqual((await checkLedger(db)).findings, [])
    assert.deepEqual((await verifyLedgerChain(db, service.services.secrets)).findings, [])
    assert.deepEqual((await verifyAuditChain(db, service.services.secrets)).findings, [])
  })
})
