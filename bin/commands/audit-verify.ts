import process from 'node:process'
import { dataDirOf, readConfig, type Config } from '#platform/config'
import { readMasterKey, secretsOf, type Secrets } from '#platform/secrets'
import { verifyEvidence } from '../../server/app/evidence.ts'
import type { Command } from './command.ts'
import { withDatabase } from './database.ts'

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'Recomputes the sealed chains of ledger and audit log, and compares LEDGER_ANCHOR_FILE. Exit 1 on a fault.',
  run: () => withDatabase(async db => {
    const config = readConfig(process.env)
    const { ok, faults, ledger, audit, anchored } = await verifyEvidence({ db, config, secrets: await secretsFor(config) })
    for (const [name, { blocks, items, head }] of Object.entries({ ledger, audit })) console.log(`${name}: ${items} items in ${blocks} blocks, head ${head}`)
    if (anchored !== null) console.log(`${config.LEDGER_ANCHOR_FILE}: ${anchored} heads`)
    for (const fault of faults) console.log(`FAULT ${fault}`)
    console.log(ok ? 'Both chains verify.' : 'A chain does not verify.')
    if (ok && anchored === null) console.log('Set LEDGER_ANCHOR_FILE, or compare the heads with those in the log: only a head from elsewhere shows that the end of a chain was cut off.')
    return ok ? 0 : 1
  }),
}

/** With the key of the service; a new one would fit nothing. */
async function secretsFor(config: Config): Promise<Secrets> {
  const key = config.SVC_MASTER_KEY ?? await readMasterKey(dataDirOf(config))
  if (key === null) throw new Error(`the master key is missing: set SVC_MASTER_KEY, or SVC_DATA_DIR to the folder of the service (now ${dataDirOf(config)})`)
  return secretsOf(key)
}
