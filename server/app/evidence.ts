import { verifyLedgerChain } from '#ledger'
import { verifyAnchors } from '#platform/kernel/chain/anchor'
import { verifyAuditChain } from '#platform/kernel/audit'
import type { ChainReport } from '#platform/kernel/chain/chain'
import type { Config } from '#platform/kernel/config'
import type { Queryable } from '#platform/kernel/db'
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
  db: Queryable
  secrets: Secrets
  config: Pick<Config, 'LEDGER_ANCHOR_FILE'>
}

/** Recomputes both chains, and compares them with the anchor file where one is set. */
export async function verifyEvidence({
  db,
  secrets,
  config: { LEDGER_ANCHOR_FILE: path },
}: Sources): Promise<EvidenceReport> {
  // The anchors first: a head that is appended meanwhile belongs to a block that is there.
  const anchors = path ? await verifyAnchors(db, path) : null
  const [ledger, audit] = [await verifyLedgerChain(db, secrets), await verifyAuditChain(db, secrets)]
  const findings = [...ledger.findings, ...audit.findings, ...(anchors?.findings ?? [])]
  return { ok: findings.length === 0, findings, ledger, audit, anchored: anchors?.heads ?? null }
}
