import { checkLedger } from '#ledger'
import { formatMoney } from '#platform/kernel/money'
import { loadLedgerChecks } from '../../../server/app/modules.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../database.ts'

export const run: Command['run'] = args =>
  withDatabase(async db => {
    const { ok, findings, figures, from, to } = await checkLedger(db, await loadLedgerChecks(), {
      full: args.includes('--full'),
    })
    for (const { code, name, asset, balance } of figures.trial) {
      console.log(`  ${code}  ${name.padEnd(46)} ${formatMoney(balance).padStart(20)} ${asset}`)
    }
    console.log(
      `${figures.journals} journals, ${figures.entries} entries, ${figures.accounts} guarded accounts (credits positive)`,
    )
    console.log(
      from
        ? `Continued from block ${from}; checked up to block ${to}. --full reads all history.`
        : `Read from the first block; checked up to block ${to}.`,
    )
    for (const finding of findings) console.log(`FINDING ${finding}`)
    console.log(
      ok
        ? 'The ledger is consistent: no findings.'
        : `The ledger is inconsistent: ${findings.length} findings.`,
    )
    return ok ? 0 : 1
  })
