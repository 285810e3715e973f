import { checkLedger } from '#ledger'
import { formatMoney } from '#platform/money'
import { ledgerChecks } from '../../server/app/ledger-checks.ts'
import type { Command } from './command.ts'
import { withDatabase } from './database.ts'

export const ledgerCheck: Command = {
  name: 'ledger check',
  options: ['--full'],
  summary: 'Proves the books: sums, balances, escrows, payments, the accounting equation. Continues from the last run; --full reads all history. Exit 1 on a fault.',
  run: args => withDatabase(async db => {
    const { ok, faults, figures, from, to } = await checkLedger(db, ledgerChecks, { full: args.includes('--full') })
    for (const { code, name, asset, balance } of figures.trial) {
      console.log(`  ${code}  ${name.padEnd(46)} ${formatMoney(balance).padStart(20)} ${asset}`)
    }
    console.log(`${figures.journals} journals, ${figures.entries} entries, ${figures.accounts} guarded accounts (credits positive)`)
    console.log(from ? `Read on from block ${from}; proved up to block ${to}. --full reads all history.` : `Read from the first block; proved up to block ${to}.`)
    for (const fault of faults) console.log(`FAULT ${fault}`)
    console.log(ok ? 'The books balance: no fault.' : `The books do not balance: ${faults.length} faults.`)
    return ok ? 0 : 1
  }),
}
