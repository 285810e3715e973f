import { registerHuman } from '#test'
import { ADMIN, fillBooks, setDesk } from '../desk.ts'
import type { PagesOf } from './page-list.ts'

export const adminPages: PagesOf = async service => {
  const { admin, disputed, frozen, customer } = await setDesk(service)
  await fillBooks(service, admin)
  const { body } = await service.http<{ items: { journalId: string }[] }>(
    'GET',
    '/admin/ledger/accounts/1010/entries?limit=1',
    { token: admin },
  )
  const pages = {
    admin: '',
    'admin-users': '/users',
    'admin-user': `/users/${customer.id}`,
    'admin-agents': '/agents',
    'admin-escrows': '/escrows',
    'admin-dispute': `/escrows/${disputed.escrowId}`,
    'admin-frozen': `/escrows/${frozen.escrowId}`,
    'admin-approvals': '/approvals',
    'admin-payouts': '/payouts',
    'admin-chargebacks': '/chargebacks',
    'admin-suspense': '/suspense',
    'admin-unclaimed': '/suspense?kind=unclaimed',
    'admin-transfers': '/suspense?kind=transfers',
    'admin-reconciliation': '/reconciliation',
    'admin-ledger': '/ledger',
    'admin-ledger-account': `/ledger/2010:${customer.walletId}`,
    'admin-journal': `/ledger/journals/${body.items[0]?.journalId}`,
    'admin-audit': '/audit',
    'admin-affiliates': '/affiliates',
    'admin-commissions': '/affiliates?tab=commissions',
    'admin-models': '/models',
    'admin-settings': '/settings',
    'admin-health': '/health',
  }
  return [
    ...Object.entries(pages).map(([name, path]) => ({ name, path: `/app/admin${path}`, as: ADMIN })),
    { name: 'admin-denied', path: '/app/admin', as: await registerHuman(service) },
  ]
}
