import { checkLedger } from '#ledger'
import { formatMoney } from '#platform/money'
import { ledgerChecks } from '../../server/app/ledger-checks.ts'
import type { Command } from './command.ts'
import { withDatabase } from './database.ts'

export const ledgerCheck: Command = {
  name: 'ledger check',
  summary: 'Proves the books: sums, balances, guards, the accounting equation. Exit 1 on a fault.',
  run: () => withDatabase(async db => {
    const { ok, faults, figures } = await checkLedger(db, ledgerChecks)
    for (const { code, name, asset, balance } of figures.trial) {
      console.log(`  ${code}  ${name.padEnd(46)} ${formatMoney(balance).padStart(20)} ${asset}`)
    }
    console.log(`${figures.journals} journals, ${figures.entries} entries, ${figures.accounts} guarded accounts (credits positive)`)
    for (const fault of faults) console.log(`FAULT ${fault}`)
    console.log(ok ? 'The books balance: no fault.' : `The books do not balance: ${faults.length} faults.`)
    return ok ? 0 : 1
  }),
}
