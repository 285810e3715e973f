import { verifyLedgerChain } from '#ledger'
import { verifyAuditChain } from '#platform/audit'
import type { Command } from './command.ts'
import { withDatabase } from './database.ts'

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'Recomputes the sealed chains of ledger and audit log. Exit 1 on a fault.',
  run: () => withDatabase(async db => {
    const chains = { ledger: await verifyLedgerChain(db), audit: await verifyAuditChain(db) }
    for (const [name, { faults, blocks, items, head }] of Object.entries(chains)) {
      console.log(`${name}: ${items} items in ${blocks} blocks, head ${head}`)
      for (const fault of faults) console.log(`FAULT ${fault}`)
    }
    const ok = Object.values(chains).every(chain => chain.ok)
    console.log(ok ? 'Both chains verify. Keep the heads elsewhere: they show a chain that was rewritten as a whole.' : 'A chain does not verify.')
    return ok ? 0 : 1
  }),
}
