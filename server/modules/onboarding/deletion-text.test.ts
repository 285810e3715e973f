import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { checkLedger, sealLedger, verifyLedgerChain } from '#ledger'
import { sealAudit, verifyAuditChain } from '#platform/audit'
import { DELETED_PERSON } from '#platform/names'
import { as, must, startTestService, type Market, type TestService } from '#test'
import { live, others, RELEASE_KEY, type Life } from '../../../test/support/life.ts'
import { allTexts, Speaker, type Saying } from '../../../test/support/words.ts'

const INTERNAL_SECRET = 'internal-secret-of-the-test-0123456789'
const DAY = 86_400

/** Operations whose texts are nobody's own words. */
const NOT_SPOKEN: [RegExp, string][] = [
  [/^receive/, 'the processor says it'],
  [/^emitProcessorEvent/, 'an operator plays the processor'],
  [/^setUpFirstAdmin/, 'a registration, only before there is an admin'],
  [/^(?:login|agentLogin|resendVerification|forgotPassword|requestMagicLink|addOrganizationMember) /, 'names an account that is there'],
]
/** Texts that are taken and not kept, or not in the clear: none may be seen. */
const NEVER_SEEN = /^(?:completeAp2Payment .*|withdrawDispute memo|updateOwnAccount email)$/

suite('what a person wrote, in any field of any operation', () => {
  let service: TestService
  let speaker: Speaker
  let life: Life
  let rest: { id: string; token: string }[]
  const seen = new Set<string>()
  const replay = { 'idempotency-key': 'of-the-counterpart' }

  before(async () => {
    service = await startTestService({ INTERNAL_SECRET, ADMIN_TRANSFER_LIMIT_USD: '100' })
    speaker = new Speaker(service)
    life = await live(service, speaker, say)
    rest = await others(service, say, INTERNAL_SECRET)
    await look()
  })
  after(() => service.close())

  /** One call that says something; what it may overwrite is looked for before. */
  async function say<Body>(operationId: string, saying: Saying = {}): Promise<Body> {
    if (/^(?:update|replace|rename)/.test(operationId)) await look()
    const headers = { 'x-request-id': 'canary-request', 'user-agent': 'canary-browser', ...saying.headers }
    const { body } = await speaker.say<Body>(operationId, { ...saying, headers })
    return body
  }

  const found = (text: string): string[] => text.match(/canary\d{4}z/g) ?? []
  const saidAs = (word: string): string => speaker.words.find(each => each.word === word)?.text ?? word
  const query = async <Row extends object>(text: string, values: unknown[] = []) => (await service.services.db.pool.query<Row>(text, values)).rows

  /** Every row of every table as text. */
  async function dump(): Promise<string> {
    const tables = await query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')",
    )
    const statement = tables.map(({ name }) => `select '${name} ' || t::text as text from ${name} t`).join(' union all ')
    return (await query<{ text: string }>(statement)).map(row => row.text).join('\n').toLowerCase()
  }
  async function look(): Promise<void> {
    for (const word of found(await dump())) seen.add(word)
  }
  const linesWith = (text: string, word: string) => text.split('\n').filter(line => line.includes(word.toLowerCase()))

  const remove = async (token: string) => assert.equal((await service.http('DELETE', '/users/me', { token })).status, 204)

  test('is said by this test, and stands in the database before the deletion', () => {
    const said = new Set(speaker.words.map(each => each.text))
    const unsaid = allTexts().filter(text => !said.has(text) && !NOT_SPOKEN.some(([pattern]) => pattern.test(text)))
    assert.deepEqual(unsaid, [], 'a new text needs a step in test/support/life.ts, and whoever keeps it an erasure')
    const unseen = speaker.words.filter(({ text, word }) => !seen.has(word) && !NEVER_SEEN.test(text))
    assert.deepEqual(unseen, [])
    assert.deepEqual(speaker.words.filter(({ text, word }) => seen.has(word) && NEVER_SEEN.test(text)), [])
  })

  test('goes at once, but from deals that are still alive; so does every name, out of others\' texts too', async () => {
    const { market, deals, person } = life
    const accept = () => service.http('POST', '/wallets/admin/test-credit', {
      token: market.admin, headers: replay, body: { walletId: person.walletId, amount: 5, reason: `for ${person.email}` },
    })
    assert.equal((await accept()).status, 201)
    for (const { token } of [person, ...rest]) await remove(token)
    const text = await dump()
    const { living, paid } = life
    assert.deepEqual(found(text).filter(word => !living.has(word) && !paid.has(word)).map(saidAs), [])
    for (const name of [person.email, person.displayName, 'canary-request', 'canary-browser', '0x52908400098527886E0F7030069857D2E4169EE7']) {
      assert.deepEqual(linesWith(text, name), [], name)
    }
    // What others did is not done again, though the answer went.
    assert.equal((await accept()).status, 409)
    const again = await service.http('POST', '/payments/ap2/release', {
      token: market.buyer.token, headers: RELEASE_KEY, body: { escrowId: deals.sold.escrowId, memo: `for ${person.displayName}` },
    })
    assert.equal(again.status, 409)
    assert.match(again.text, /IDEMPOTENCY_FORGOTTEN/)
    // What the person asked another admin for is not done any more.
    const orders = await query<{ status: string }>('select status from identity_approval where requested_by = $1', [person.id])
    assert.deepEqual(orders, [{ status: 'EXPIRED' }])
    // What the seller was hired for is still there for the seller.
    const awaited = await must<{ requirements: object; requestedService: string; milestones: { key: string }[] }>(
      market, 'seller', `/ap2/negotiations/${deals.awaited.id}`)
    assert.match(JSON.stringify(awaited), /requirements":\{"deep":\["canary\d{4}z/)
    assert.deepEqual(found(awaited.requestedService).length, 1)
  })

  test('goes with the end of each deal that was alive', async () => {
    const { market, deals } = life
    const [milestone] = (await must(market, 'seller', `/ap2/negotiations/${deals.awaited.id}`)).escrow.milestones
    await must(market, 'seller', '/ap2/deliver', { negotiationId: deals.awaited.id, result: 'made', milestoneKey: milestone?.key })
    await service.advance(400 * DAY)
    const text = await dump()
    assert.deepEqual(found(text).filter(word => !life.paid.has(word)).map(saidAs), [])
    for (const { id } of Object.values(deals)) {
      const [row] = await query<{ ended: boolean }>('select ended_at is not null as ended from ap2_negotiation where id = $1', [id])
      assert.equal(row?.ended, true)
    }
  })

  test('leaves to the counterpart what it wrote and what it paid for, without the names', async () => {
    const { market, deals, person } = life
    const { deliveries } = (await must(market, 'buyer', `/ap2/negotiations/${deals.sold.id}`)).escrow
    const [failed, paid] = await Promise.all(deliveries.map(({ url }) => must<Record<string, unknown>>(market, 'buyer', url)))
    const work = speaker.words.findLast(each => each.text === 'deliver result')?.word
    assert.deepEqual(paid?.result, { by: DELETED_PERSON, work })
    assert.deepEqual([failed?.result, failed?.deliverableUrl, failed?.artifacts, failed?.notes, paid?.notes], [null, null, [], null, null])
    for (const deal of [deals.sold, deals.contested, deals.refunded]) {
      const { text, body } = await as<{ notes: string; requirements: object; escrow: { memo: string; metadata: object } }>(
        market, 'buyer', `/ap2/negotiations/${deal.id}`)
      assert.equal(body.notes, `keepsake for ${DELETED_PERSON} <${DELETED_PERSON}>`)
      assert.deepEqual([body.requirements, body.escrow.metadata], [{ to: [DELETED_PERSON], keepsake: true }, { [DELETED_PERSON]: 'keepsake' }])
      assert.equal(body.escrow.memo, `to ${DELETED_PERSON}`)
      assert.ok(!text.includes(person.email))
    }
  })

  test('the deals are still read by the counterpart and by admins, as they are documented', async () => {
    const { market, deals, agent, seller, person } = life
    const { fits } = await import('../../../test/support/documented.ts')
    for (const role of ['buyer', 'operator', 'seller'] as const) {
      const own = role === 'operator' ? Object.values(deals) : role === 'buyer'
        ? [deals.sold, deals.contested, deals.refunded] : [deals.bought, deals.disputed, deals.awaited]
      for (const { id, escrowId } of own) {
        for (const path of [
          `/ap2/negotiations/${id}`, `/payments/escrow/${escrowId}`, `/payments/ap2/escrows/${escrowId}/reconciliation`,
          `/payments/escrow/${escrowId}/events`,
        ]) await reads(market, role, path)
      }
      for (const path of ['/ap2/negotiations', '/payments/escrow']) if (role !== 'operator') await reads(market, role, path)
    }
    for (const path of [
      `/agents/${agent.id}`, `/trust/${agent.id}/score`, `/trust/${seller.id}/score`, `/wallets/${market.buyer.walletId}/transactions`,
    ]) await reads(market, 'buyer', path)
    for (const path of ['/admin/approvals', `/admin/audit?actorId=${person.id}`]) await reads(market, 'operator', path)

    async function reads(from: Market, role: 'buyer' | 'operator' | 'seller', path: string) {
      const answer = await as(from, role, path)
      assert.equal(answer.status, 200, `${role} ${path}: ${answer.text}`)
      assert.deepEqual(fits(path, answer.body), [], `${role} ${path}`)
    }
  })

  test('and the books, their seals and those of the audit log hold', async () => {
    const { db } = service.services
    await sealLedger(db, service.services.secrets)
    await sealAudit(db, service.services.secrets)
    assert.deepEqual((await checkLedger(db)).faults, [])
    assert.deepEqual((await verifyLedgerChain(db, service.services.secrets)).faults, [])
    assert.deepEqual((await verifyAuditChain(db, service.services.secrets)).faults, [])
  })
})
