import { query, type App } from '#platform/http/operations'
import { PageOf, pageOf } from '#platform/http/schema'
import { listAllEscrows } from './escrows.ts'
import { AdminEscrow, AdminEscrowQuery } from './schema.ts'

/** Escrows of all accounts, for admins. */
export function administrationRoutes(app: App): void {
  query(app, {
    method: 'GET',
    url: '/admin/escrows',
    id: 'listAllEscrows',
    tag: 'Admin',
    summary: 'List the escrows of all accounts',
    description:
      'Newest first, with the names of both parties. `GET /payments/escrow/{id}` has the evidence of a dispute and the deliveries.',
    access: { accept: ['jwt'], role: 'ADMIN' },
    query: AdminEscrowQuery,
    snapshot: true,
    success: [200, PageOf(AdminEscrow)],
    run: (q, _, { query: { limit, offset, ...filter } }) =>
      listAllEscrows(q, filter, pageOf({ limit, offset })),
  })
}
