import { verifyLedgerChain } from '#ledger'
import { verifyAnchors } from '#platform/anchor'
import { verifyAuditChain } from '#platform/audit'
import type { ChainReport } from '#platform/chain'
import type { Config } from '#platform/config'
import type { Queryable } from '#platform/db'
import type { Secrets } from '#platform/secrets'

export interface EvidenceReport {
  ok: boolean
  faults: string[]
  ledger: ChainReport
  audit: ChainReport
  /** How many heads of LEDGER_ANCHOR_FILE were compared; null without the file. */
  anchored: number | null
}

interface Sources { db: Queryable; secrets: Secrets; config: Pick<Config, 'LEDGER_ANCHOR_FILE'> }

/** Recomputes both chains, and compares them with the anchor file where one is set. */
export async function verifyEvidence({ db, secrets, config: { LEDGER_ANCHOR_FILE: path } }: Sources): Promise<EvidenceReport> {
  // The anchors first: a head that is appended meanwhile belongs to a block that is there.
  const anchors = path ? await verifyAnchors(db, path) : null
  const [ledger, audit] = [await verifyLedgerChain(db, secrets), await verifyAuditChain(db, secrets)]
  const faults = [...ledger.faults, ...audit.faults, ...anchors?.faults ?? []]
  return { ok: faults.length === 0, faults, ledger, audit, anchored: anchors?.heads ?? null }
}
