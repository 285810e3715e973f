import process from 'node:process'
import { dataDirOf, readConfig, type Config } from '#platform/kernel/config'
import { readMasterKey, secretsOf, type Secrets } from '#platform/kernel/secrets'
import { verifyEvidence } from '../../../server/app/evidence.ts'
import type { Command } from '../command.ts'
import { withDatabase } from '../database.ts'

export const run: Command['run'] = () =>
  withDatabase(async db => {
    const config = readConfig(process.env)
    const { ok, findings, ledger, audit, anchored } = await verifyEvidence({
      db,
      config,
      secrets: await secretsFor(config),
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

/** The secrets of the service: a new key would match nothing that is stored. Throws without its key. */
export async function secretsFor(config: Config): Promise<Secrets> {
  const key = config.SVC_MASTER_KEY ?? (await readMasterKey(dataDirOf(config)))
  if (key === null)
    throw new Error(
      `the master key is missing: set SVC_MASTER_KEY, or SVC_DATA_DIR to the folder of the service (now ${dataDirOf(config)})`,
    )
  return secretsOf(key)
}
