import { EXIT } from '../commands/command.ts'
import { clientCommand } from './command.ts'
import { connect } from './connect.ts'
import { list, print, table } from './output.ts'

export const adminApprovals = clientCommand({
  name: 'admin approvals',
  summary: 'Lists what waits for a second admin.',
  examples: ['svc admin approvals'],
  async run(_, given) {
    const { svc } = await connect(given)
    const approvals = await Array.fromAsync(svc.pages('GET /admin/approvals'))
    print(given, approvals, () =>
      table(
        ['ID', 'KIND', 'STATUS', 'CREATED'],
        approvals.map(each => [each.id, each.kind, each.status, each.createdAt]),
      ),
    )
    return EXIT.ok
  },
})

const decide = (verb: 'approve' | 'reject') =>
  clientCommand({
    name: `admin ${verb}`,
    parameters: ['APPROVAL'],
    summary: verb === 'approve' ? 'Approves it.' : 'Rejects it.',
    examples: [`svc admin ${verb} ID`],
    async run(_, given) {
      const { svc } = await connect(given)
      const path = { id: given.parameters[0] ?? '' }
      const done =
        verb === 'approve'
          ? await svc.request('POST /admin/approvals/{id}/approve', { path })
          : await svc.request('POST /admin/approvals/{id}/reject', { path })
      print(given, done, () => list({ id: done.id, kind: done.kind, status: done.status }))
      return EXIT.ok
    },
  })
export const adminApprove = decide('approve')
export const adminReject = decide('reject')

export const adminSuspend = clientCommand({
  name: 'admin suspend',
  parameters: ['ACCOUNT'],
  summary: 'Suspends an account; --reinstate ends that.',
  options: ['--reason TEXT  For the audit log', '--reinstate  End the suspension'],
  examples: ['svc admin suspend ID --reason "Fraud"', 'svc admin suspend ID --reinstate'],
  async run(_, given) {
    const { svc } = await connect(given)
    const path = { id: given.parameters[0] ?? '' }
    const reason = given.options.get('--reason')
    const account = given.options.has('--reinstate')
      ? await svc.request('POST /admin/users/{id}/reinstate', { path })
      : await svc.request('POST /admin/users/{id}/suspend', {
          path,
          body: { reason: reason ?? 'By an admin' },
        })
    print(given, account, () => list({ id: account.id, email: account.email }))
    return EXIT.ok
  },
})

export const adminAudit = clientCommand({
  name: 'admin audit',
  summary: 'Shows the newest records of the audit log.',
  options: ['--limit NUMBER  20 by default'],
  examples: ['svc admin audit --limit 100'],
  async run(_, given) {
    const { svc } = await connect(given)
    const limit = Number(given.options.get('--limit') ?? 20)
    const { items } = await svc.request('GET /admin/audit', { query: { limit } })
    print(given, items, () => items.map(each => JSON.stringify(each)).join('\n'))
    return EXIT.ok
  },
})

export const adminTrialBalance = clientCommand({
  name: 'admin trial-balance',
  summary: 'Shows the trial balance of the ledger.',
  examples: ['svc admin trial-balance'],
  async run(_, given) {
    const { svc } = await connect(given)
    const balance = await svc.request('GET /admin/trial-balance')
    print(given, balance, () =>
      table(
        ['CODE', 'NAME', 'CURRENCY', 'DEBIT', 'CREDIT'],
        [
          ...balance.items.map(each => [each.code, each.name, each.currency, each.debit, each.credit]),
          ...balance.totals.map(each => ['', 'total', each.currency, each.debit, each.credit]),
        ],
      ),
    )
    return EXIT.ok
  },
})
