import { after, before, suite, test } from 'node:test'
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { anonymousContext, fund, publishAgent, registerHuman, sharedService, type TestService } from '#test'

const PASSWORD = 'correct horse battery staple'

suite('DELETE /users/me', () => {
  let service: TestService
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())

  const remove = (token: string | undefined, body?: object) =>
    service.http<{ message: string }>('DELETE', '/users/me', { token, body })
  const query = (text: string, values: unknown[] = []) =>
    service.services.db.pool.query<Record<string, string>>(text, values)

  /** Every row of every table as text. */
  const dump = async () => {
    const { rows: tables } = await query(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')",
    )
    const texts: string[] = []
    for (const { name } of tables)
      texts.push(
        ...(await query(`select '${name} ' || t::text as text from ${name} t`)).rows.map(
          row => row.text ?? '',
        ),
      )
    return texts
  }

  test('requires the exact phrase if confirmPhrase is present', async () => {
    const { token } = await registerHuman(service)
    for (const confirmPhrase of ['delete my account', 'DELETE MY ACCOUNT ', '', 'DELETE']) {
      const { status, body } = await remove(token, { confirmPhrase })
      assert.equal(status, 400)
      assert.match(body.message, /^confirmPhrase mismatch/)
    }
    assert.equal((await remove(token, { confirmPhrase: null })).status, 400)
    assert.equal((await remove(undefined)).status, 401)
    const { status, text } = await remove(token, { confirmPhrase: 'DELETE MY ACCOUNT' })
    assert.deepEqual([status, text], [204, ''])
    assert.equal((await remove((await registerHuman(service)).token)).status, 204)
  })

  test('revokes tokens and keys at once and frees the email address', async () => {
    const person = await registerHuman(service)
    const agent = await publishAgent(service, person)
    const { apiKey } = (
      await service.http<{ apiKey: string }>('POST', '/api/v1/keys', {
        token: person.token,
        body: { name: 'Key' },
      })
    ).body
    assert.equal((await remove(person.token)).status, 204)
    const inbox = { headers: { 'x-agent-api-key': agent.apiKey } }
    assert.deepEqual(
      [
        (await service.http('GET', '/users/me', { token: person.token })).status,
        (await remove(person.token)).status,
        (await service.http('GET', '/agents/my-agents', { token: apiKey })).status,
        (await service.http('GET', `/agents/${agent.id}/inbox`, inbox)).status,
        (await service.http('POST', '/auth/refresh', { body: { refreshToken: person.refreshToken } })).status,
        (await service.http('POST', '/auth/login', { body: { email: person.email, password: PASSWORD } }))
          .status,
      ],
      [401, 401, 401, 401, 401, 401],
    )
    const again = await service.http<{ user: { id: string } }>('POST', '/auth/register', {
      body: { email: person.email, displayName: 'New', password: PASSWORD },
    })
    assert.equal(again.status, 201)
    assert.notEqual(again.body.user.id, person.id)
  })

  test('leaves no identifying field in any table and a valid audit chain', async () => {
    const words = {
      name: 'Canary Nameword',
      email: 'canary.mail@example.com',
      username: 'canary_user',
      agent: 'Canarybird',
      // Of nobody else in the shared database.
      address: `0xca9a${randomBytes(18).toString('hex')}`,
      agentWord: 'canarytalk',
      browser: 'CanaryBrowser/1.0',
      key: 'canarykey',
    }
    const human = await service.http<{ accessToken: string; user: { id: string } }>(
      'POST',
      '/auth/register',
      {
        body: { email: words.email, displayName: words.name, password: PASSWORD },
        headers: { 'user-agent': words.browser },
      },
    )
    const token = human.body.accessToken
    await service.http('POST', '/auth/login', {
      body: { email: words.email, password: PASSWORD },
      headers: { 'user-agent': words.browser },
    })
    await service.http('POST', '/api/v1/keys', { token, body: { name: words.key, description: words.key } })
    await service.http('POST', '/agents', {
      token,
      body: {
        name: words.agent,
        description: words.agentWord,
        tags: [words.agentWord],
        capabilities: [words.agentWord],
        ap2Endpoint: `https://${words.agentWord}.example`,
        walletAddress: words.address,
      },
    })
    await service.http('POST', '/auth/change-password', {
      token,
      body: { currentPassword: PASSWORD, newPassword: `${PASSWORD}!` },
      headers: { 'x-request-id': 'r1' },
    })
    await service.http('POST', '/auth/forgot-password', { body: { email: words.email } })
    const agent = await service.http<{ accessToken: string }>('POST', '/auth/register-agent', {
      body: {
        username: words.username,
        agentDisplayName: words.name,
        walletType: 'own',
        walletAddress: words.address,
      },
    })
    const listed = await service.http<{ apiKey: string }>('POST', '/agents/register', {
      body: { username: `${words.username}2`, email: `x.${words.email}` },
    })
    assert.equal(listed.status, 200)
    const found = (texts: string[]) =>
      texts.filter(text => Object.values(words).some(word => text.toLowerCase().includes(word.toLowerCase())))
    assert.ok(found(await dump()).length > 5)
    await remove(token, {})
    await remove(agent.body.accessToken, {})
    // The listed agent has no password: it is deleted through a session of its own.
    const { accountByUsername, registration } = await import('#identity')
    const account = await accountByUsername(service.services.db, `${words.username}2`)
    const session = await service.services.db.transaction(tx =>
      registration.startSession(
        tx,
        anonymousContext,
        { accountId: account?.id ?? '', method: 'test' },
        service.services,
      ),
    )
    await remove(session.accessToken, {})
    assert.deepEqual(found(await dump()), [])
    const { verifyAuditChain, sealAudit } = await import('#platform/kernel/audit')
    await sealAudit(service.services.db, service.services.secrets)
    assert.deepEqual((await verifyAuditChain(service.services.db, service.services.secrets)).findings, [])
    const { rows } = await query(
      'select 1 from platform_audit_private p join platform_audit a on a.id = p.audit_id where a.actor_id = $1',
      [human.body.user.id],
    )
    assert.equal(rows.length, 0)
  })

  test('moves money to the unclaimed funds and takes test credit back', async () => {
    const { balanceOf, checkLedger } = await import('#ledger')
    const { db } = service.services
    const unclaimed = await balanceOf(db, '2140', 'USD')
    const person = await registerHuman(service)
    await fund(service, person, 25)
    const credit = await service.http('POST', '/wallets/admin/test-credit', {
      token: await service.adminToken(),
      body: { walletId: person.walletId, amount: 7, reason: 'Trial' },
    })
    assert.equal(credit.status, 201, credit.text)
    assert.equal((await remove(person.token)).status, 204)
    assert.equal(await balanceOf(db, `2010:${person.walletId}`, 'USD'), 0n)
    assert.equal(await balanceOf(db, `2011:${person.walletId}`, 'USD'), 0n)
    assert.equal((await balanceOf(db, '2140', 'USD')) - unclaimed, 25_000_000n)
    assert.ok((await checkLedger(db)).ok)
  })

  test('cancels open negotiations and archives agents', async () => {
    const seller = await registerHuman(service)
    const buyer = await registerHuman(service)
    const agent = await publishAgent(service, seller)
    const opened = await service.http<{ id: string }>('POST', '/ap2/negotiate', {
      token: buyer.token,
      body: { responderAgentId: agent.id, requestedService: 'Notes', budget: 10 },
    })
    assert.equal(opened.status, 201, opened.text)
    await remove(seller.token)
    const negotiation = await service.http<{ status: string }>('GET', `/ap2/negotiations/${opened.body.id}`, {
      token: buyer.token,
    })
    assert.equal(negotiation.body.status, 'CANCELLED')
    assert.deepEqual(
      (await service.http<{ status: string; name: string }>('GET', `/agents/${agent.id}`)).body.status,
      'ARCHIVED',
    )
  })

  test('rejects payments to the wallet of a deleted account with 404', async () => {
    const gone = await registerHuman(service)
    const friend = await registerHuman(service)
    await fund(service, friend, 20)
    await remove(gone.token)
    const token = friend.token
    const sent = await service.http<{ message: string }>('POST', `/wallets/${friend.walletId}/transfer`, {
      token,
      body: { toWalletId: gone.walletId, amount: 5 },
    })
    assert.deepEqual([sent.status, sent.body.message.startsWith('Wallet not found')], [404, true])
    const held = await service.http('POST', '/payments/ap2/initiate', {
      token,
      body: { sourceWalletId: friend.walletId, destinationWalletId: gone.walletId, amount: 5 },
    })
    assert.equal(held.status, 404, held.text)
  })
})
