import { existsSync } from 'node:fs'
import process from 'node:process'
import { checkLedger, sealLedger } from '#ledger'
import { sealAudit } from '#platform/kernel/audit'
import { readConfig, type Config } from '#platform/kernel/config'
import { secretsOf } from '#platform/kernel/secrets'
import { verifyEvidence } from '../../server/app/evidence.ts'
import { loadLedgerChecks } from '../../server/app/modules.ts'
import { withDatabase } from './database.ts'
import type { Progress } from './progress.ts'

/** The findings of `svc ledger check` and `svc audit verify` in data that no service has used for a while. */
export async function findingsIn(masterKey: string, progress: Progress): Promise<string[]> {
  const secrets = secretsOf(masterKey)
  const findings: string[] = []
  await withDatabase(async db => {
    // What waits for its block is older than verification allows.
    progress.show('Sealing the ledger and the audit log')
    await sealLedger(db, secrets)
    await sealAudit(db, secrets)
    progress.show('Checking the ledger')
    findings.push(...(await checkLedger(db, await loadLedgerChecks())).findings)
    progress.show('Verifying the chains of the ledger and the audit log')
    findings.push(
      ...(await verifyEvidence({ db, config: anchorsOf(readConfig(process.env)), secrets })).findings,
    )
    return 0
  })
  return findings
}

/** The anchor file, unless it is a new one: its first line comes with the next block. */
const anchorsOf = ({ LEDGER_ANCHOR_FILE: path }: Config): Pick<Config, 'LEDGER_ANCHOR_FILE'> => ({
  LEDGER_ANCHOR_FILE: path && existsSync(path) ? path : undefined,
})

/** Prints them for a person. */
export function printFindings(findings: readonly string[]): void {
  for (const finding of findings) console.log(`FINDING ${finding}`)
  if (!findings.length) console.log('The ledger is consistent: no findings. Both chains verify.')
}
