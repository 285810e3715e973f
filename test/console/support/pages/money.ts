import { fund, joinOrganization, openMarket, registerHuman } from '#test'
import type { PagesOf } from './page-list.ts'

export const moneyPages: PagesOf = async service => {
  const { buyer } = await openMarket(service, { amount: 250, card: true })
  const [member, empty] = [await registerHuman(service), await registerHuman(service)]
  await fund(service, member, 20)
  const { token } = buyer
  const slug = `studio-${buyer.id.slice(-8)}`
  await service.http('POST', '/organizations', { token, body: { slug, name: 'Studio' } })
  await joinOrganization(service, buyer, member, { slug, role: 'MEMBER' })
  await service.http('POST', '/organizations/' + slug + '/members', {
    token,
    body: { userId: empty.id, role: 'ADMIN' },
  })
  await service.http('PUT', `/organizations/${slug}/policy`, {
    token,
    body: { monthlyLimit: 2000, perTransactionLimit: 500 },
  })
  await service.http('PUT', `/organizations/${slug}/budgets/${buyer.id}`, {
    token,
    body: { monthlyLimit: 800 },
  })
  await service.http('POST', '/wallet-vouchers', { token, body: { walletId: buyer.walletId, amount: 10 } })
  const { body: shared } = await service.http<{ id: string }>('GET', `/wallets/org/${slug}`, { token })
  return [
    { name: 'wallet', path: '/app/wallet', as: buyer },
    { name: 'wallet-statement', path: `/app/wallet/${buyer.walletId}`, as: buyer },
    { name: 'spend-empty', path: '/app/spend', as: empty },
    { name: 'vouchers', path: '/app/vouchers', as: buyer },
    { name: 'vouchers-organization', path: `/app/vouchers?wallet=${shared.id}`, as: buyer },
    { name: 'wallet-organization', path: `/app/wallet/${shared.id}`, as: buyer },
    { name: 'vouchers-empty', path: '/app/vouchers', as: empty },
    { name: 'organizations', path: '/app/organizations', as: buyer },
    { name: 'organizations-invited', path: '/app/organizations', as: empty },
    { name: 'organization', path: `/app/organizations/${slug}`, as: buyer },
    { name: 'organization-member', path: `/app/organizations/${slug}`, as: member },
  ]
}
