import process from 'node:process'
import { readConfig } from '#platform/kernel/config'
import { verifyEvidence } from '../../../server/app/evidence.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../database.ts'
import { secretsFor } from '../master-key.ts'

export const run: Command['run'] = () =>
  withDatabase(async db => {
    const config = readConfig(process.env)
    const { ok, findings, ledger, audit, anchored } = await verifyEvidence({
      db,
      config,
      secrets: await secretsFor(config, db),
    })
    for (const [name, { blocks, items, head }] of Object.entries({ ledger, audit }))
      console.log(`${name}: ${items} items in ${blocks} blocks, head ${head}`)
    if (anchored !== null) console.log(`${config.LEDGER_ANCHOR_FILE}: ${anchored} heads`)
    for (const finding of findings) console.log(`FINDING ${finding}`)
    console.log(ok ? 'Both chains verify.' : 'A chain does not verify.')
    if (ok && anchored === null)
      console.log(
        'Set LEDGER_ANCHOR_FILE, or compare the heads with those in the log: only a head outside the database shows whether the end of a chain was cut off.',
      )
    return ok ? 0 : 1
  })
