import { verifyLedgerChain } from '#ledger'
import { verifyAnchors } from '#platform/kernel/chain/anchor'
import { verifyAuditChain } from '#platform/kernel/audit'
import type { ChainReport } from '#platform/kernel/chain/chain'
import type { Config } from '#platform/kernel/config'
import type { Db } from '#platform/kernel/db'
import { patiently } from '#platform/kernel/database/patient'
import type { Secrets } from '#platform/kernel/secrets'

export interface EvidenceReport {
  ok: boolean
  findings: string[]
  ledger: ChainReport
  audit: ChainReport
  /** How many heads of LEDGER_ANCHOR_FILE were compared; null without the file. */
  anchored: number | null
}

interface Sources {
  db: Db
  secrets: Secrets
  config: Pick<Config, 'LEDGER_ANCHOR_FILE'>
}

/** Recomputes both chains, and compares them with the anchor file where one is set. */
export async function verifyEvidence({
  db,
  secrets,
  config: { LEDGER_ANCHOR_FILE: path },
}: Sources): Promise<EvidenceReport> {
  // Counting all items takes longer than statements may at other times.
  const [anchors, ledger, audit] = await patiently(db, async patient => [
    // The anchors first: a head that is appended meanwhile belongs to a block that is there.
    path ? await verifyAnchors(patient, path) : null,
    await verifyLedgerChain(patient, secrets),
    await verifyAuditChain(patient, secrets),
  ])
  const findings = [...ledger.findings, ...audit.findings, ...(anchors?.findings ?? [])]
  return { ok: findings.length === 0, findings, ledger, audit, anchored: anchors?.heads ?? null }
}
