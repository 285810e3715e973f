import { deliveriesWith, linkArtifacts, VAULT, type Verified } from '#vault'
import type { RequestContext } from '#platform/http/principal'
import type { Queryable, Tx } from '#platform/kernel/db'
import { apiError, invalid } from '#platform/kernel/errors'
import { sql } from '#platform/kernel/sql'
import { readDeals, sidesOf } from '../deal/deal.ts'
import type { Artifact, NegotiationRow } from '../deal/rows.ts'

/**
 * The artifacts of a delivery with what the service itself knows of those in the vault; undefined where there are none.
 * The deliverer must hold them. 400 where a claim about one differs.
 */
export async function withVaultArtifacts(
  tx: Tx,
  ctx: RequestContext,
  { artifacts, deliveryId }: { artifacts: Artifact[] | undefined; deliveryId: string },
): Promise<Artifact[] | undefined> {
  const ids = (artifacts ?? []).flatMap(({ vaultId }) => (vaultId === undefined ? [] : [vaultId]))
  if (!artifacts || !ids.length) return undefined
  if (artifacts.some(each => each.vaultId !== undefined && each.url !== undefined))
    throw invalid('an artifact has a url or a vaultId, not both')
  const verified = await linkArtifacts(tx, ctx, { ids, deliveryId })
  return artifacts.map(artifact => {
    const stored = artifact.vaultId === undefined ? undefined : verified.get(artifact.vaultId)
    return stored ? withClaims(artifact, stored) : artifact
  })
}

function withClaims(said: Artifact, stored: Verified): Artifact {
  const claims = [
    ['sha256', said.sha256?.toLowerCase(), stored.sha256],
    ['bytes', said.bytes, stored.bytes],
    ['mimeType', said.mimeType?.toLowerCase(), stored.mimeType],
  ] as const
  for (const [field, claimed, found] of claims)
    if (claimed !== undefined && claimed !== found)
      throw apiError(VAULT.ARTIFACT_MISMATCH, {
        hint: `The ${field} of "${said.name}" is ${found}, not ${claimed}`,
      })
  return { ...said, ...stored, name: said.name }
}

const dealsWith = (artifactId: string) => sql<NegotiationRow & { isPaid: boolean }>`
  select n.*, m.released > 0 and (m.released = m.amount or e.ended_at is not null) as is_paid
  from ap2_delivery d join ap2_milestone m on m.id = d.milestone_id join ap2_escrow e on e.id = d.escrow_id
  join ap2_negotiation n on n.id = d.negotiation_id where d.id in (${deliveriesWith(artifactId)})`

/** The buyer of a delivered artifact opens it once its milestone, or what was paid of it, is released. */
export async function accessOfParties(
  q: Queryable,
  { artifactId, ctx }: { artifactId: string; ctx: RequestContext },
): Promise<'none' | 'metadata' | 'content'> {
  const rows = await q.rows(dealsWith(artifactId))
  const deals = await readDeals(q, rows)
  const bought = new Set(
    deals.filter(deal => sidesOf(ctx, deal).includes('buyer')).map(deal => deal.negotiation.id),
  )
  const mine = rows.filter(({ id }) => bought.has(id))
  return mine.some(({ isPaid }) => isPaid) ? 'content' : mine.length ? 'metadata' : 'none'
}

/** Those of some deliveries whose deal has ended. Nobody gets rid of a quota by deals with an agent of the same owner. */
export async function endedAmong(
  q: Queryable,
  { deliveryIds }: { deliveryIds: readonly string[] },
): Promise<string[]> {
  const rows = await q.rows(sql<{ id: string }>`
    select d.id from ap2_delivery d join ap2_escrow e on e.id = d.escrow_id
      join ap2_negotiation n on n.id = d.negotiation_id
    where d.id = any(${deliveryIds}::uuid[]) and e.ended_at is not null and not n.self_deal`)
  return rows.map(({ id }) => id)
}
