import { fund, publishAgent, registerHuman, type Answer, type Person, type TestService } from '#test'
import type { Books } from './books.ts'

const DAY = 86_400

const ok = <Body>({ status, text, body }: Answer<Body>): Body => {
  if (status > 204) throw new Error(`answered ${status}: ${text}`)
  return body
}

/** Transfers, test credit and what an agent pays its owner. */
export async function driveTransfers(service: TestService, books: Books): Promise<void> {
  const [ada, bob] = [await registerHuman(service), await registerHuman(service)]
  await fund(service, ada, 20)
  const post = async (path: string, token: string, body: object) =>
    ok(await service.http('POST', path, { token, body }))
  const transfer = (from: Person, to: Person) => async () => {
    await post(`/wallets/${from.walletId}/transfer`, from.token, { toWalletId: to.walletId, amount: 5 })
    return { from: from.walletId, to: to.walletId }
  }
  const admin = await service.adminToken()
  await books.drive('transfer', transfer(ada, bob), [ada, bob])
  await books.drive(
    'testCredit',
    async () => {
      const body = { walletId: bob.walletId, amount: 150, reason: 'test' }
      await post('/wallets/admin/test-credit', admin, body)
      return { to: bob.walletId }
    },
    [bob],
  )
  await books.drive(
    'promotion',
    async () => {
      await post('/admin/promotions', admin, { walletId: bob.walletId, amount: 25, reason: 'Prize' })
      return { to: bob.walletId }
    },
    [bob],
  )
  await books.drive('testTransfer', transfer(bob, ada), [ada, bob])
  const agent = await publishAgent(service, bob)
  await post(`/wallets/${ada.walletId}/transfer`, ada.token, { toWalletId: agent.walletId, amount: 6 })
  await books.drive(
    'agentToOwner',
    async () => {
      await post('/payouts/agent-to-user', bob.token, { agentId: agent.id, amount: 2 })
      return { agent: agent.walletId, owner: bob.walletId }
    },
    [bob],
  )
}

export async function driveVouchers(service: TestService, books: Books): Promise<void> {
  const [ada, bob] = [await registerHuman(service), await registerHuman(service)]
  await fund(service, ada, 20)
  const create = async () => {
    const expiresAt = new Date(service.services.clock.now().getTime() + 2 * DAY * 1000).toISOString()
    const body = { walletId: ada.walletId, amount: 3, expiresAt }
    return ok(
      await service.http<{ id: string; code: string }>('POST', '/wallet-vouchers', {
        token: ada.token,
        body,
      }),
    )
  }
  const ids = (voucher: string) => ({ voucher, creator: ada.walletId, redeemer: bob.walletId })
  let code = ''
  const { voucher = '' } = await books.drive(
    'voucherCreate',
    async () => {
      const made = await create()
      code = made.code
      return ids(made.id)
    },
    [ada],
  )
  await books.drive(
    'voucherRedeem',
    async () => {
      ok(await service.http('POST', '/wallet-vouchers/redeem', { token: bob.token, body: { code } }))
      return ids(voucher)
    },
    [ada, bob],
  )
  const { id: cancelled } = await create()
  await books.drive(
    'voucherCancel',
    async () => {
      ok(await service.http('POST', `/wallet-vouchers/${cancelled}/cancel`, { token: ada.token }))
      return ids(cancelled)
    },
    [ada],
  )
  const { id: expired } = await create()
  await books.drive(
    'voucherExpire',
    async () => {
      await service.advance(3 * DAY)
      return ids(expired)
    },
    [ada],
  )
}

/** What deleted accounts and organizations leave behind. */
export async function driveUnclaimed(service: TestService, books: Books): Promise<void> {
  const admin = await service.adminToken()
  const remove = async ({ token }: Person) => ok(await service.http('DELETE', '/users/me', { token }))
  const deleted = await registerHuman(service)
  await fund(service, deleted, 7)
  const credit = { walletId: deleted.walletId, amount: 4, reason: 'test' }
  ok(await service.http('POST', '/wallets/admin/test-credit', { token: admin, body: credit }))
  await books.drive('accountDeleted', async () => {
    await remove(deleted)
    return { wallet: deleted.walletId }
  })
  const heir = await registerHuman(service)
  await books.drive(
    'unclaimedAssigned',
    async () => {
      const body = { toWalletId: heir.walletId, reason: 'the owner proved it' }
      const path = `/admin/unclaimed/${deleted.walletId}/assign`
      ok(await service.http('POST', path, { token: admin, body }))
      return { wallet: deleted.walletId, to: heir.walletId }
    },
    [heir],
  )
  const founder = await registerHuman(service)
  const slug = `the-works-${founder.id.slice(-12)}`
  const { token } = founder
  ok(await service.http('POST', '/organizations', { token, body: { slug, name: 'The works' } }))
  const { id: wallet } = ok(await service.http<{ id: string }>('GET', `/wallets/org/${slug}`, { token }))
  ok(await service.http('POST', `/wallets/${wallet}/fund`, { token, body: { amount: 9 } }))
  await books.drive('organizationClosed', async () => {
    await remove(founder)
    return { wallet }
  })
}
