import type { Target, VerificationReport } from '#platform/browser/verifier'
import { QueueFull } from '#platform/fair-queue'
import type { Services } from '#platform/services'
import { readDeal } from './deal.ts'
import type { Artifact, ArtifactReport, DeliveryRow, NegotiationRow, Report } from './rows.ts'

/** What was found of a delivery, and the picture of its page. */
export interface Finding { report: Omit<Report, 'checkedAt'>; screenshot: Buffer | null }

/** The result must fit the agreed schema, and every URL must open. Changes nothing. */
export async function inspectDelivery(services: Services, delivery: DeliveryRow): Promise<Finding> {
  const { negotiation } = await readDeal(services.db, delivery.negotiation_id, services.clock.now())
  const byRule = await inspectResult(services, negotiation, delivery)
  if (!byRule.report.ok) return byRule
  return await inspectUrls(services, negotiation, delivery) ?? byRule
}

/** An agreed schema always applies: a page or a file does not replace the result that it asks for. */
async function inspectResult({ schemas }: Services, { acceptance_schema: schema, seller_account_id: account }: NegotiationRow, { result }: DeliveryRow): Promise<Finding> {
  const finding = (code: string, reason: string): Finding => ({ report: { ok: code === 'ok', code, reason, verifier: 'schema' }, screenshot: null })
  if (!schema) return finding('ok', 'kept as delivered')
  if (result === null) return finding('schema_mismatch', 'the agreed outputSchema asks for a result, and the delivery has none')
  try {
    const { ok, code, reason } = await schemas.check(account, { type: 'value', schema, value: result })
    return finding(code, ok ? 'fits the agreed schema' : reason)
  } catch (error) {
    if (error instanceof QueueFull) return finding('unavailable', 'too many deliveries of this account are being checked')
    throw error
  }
}

/** Opens the page and every artifact with a URL; null where the delivery names none. */
async function inspectUrls({ verifier }: Services, { seller_account_id: account }: NegotiationRow, delivery: DeliveryRow): Promise<Finding | null> {
  const artifacts = (delivery.artifacts ?? []).filter(hasUrl)
  // The seller writes the hints: they never replace the page that it delivers.
  const page = delivery.deliverable_url ?? delivery.hints?.url
  const targets: Target[] = page === null || page === undefined ? [] : [{ url: page, expectText: delivery.hints?.expectText }]
  for (const { url } of artifacts) if (!targets.some(target => target.url === url)) targets.push({ url })
  if (targets.length === 0) return null
  const opened = await verifier.checkAll(targets, account)
  const reportOf = (url: string) => opened.filter(report => report.url === url)
  return findingOf(page === null || page === undefined ? [] : reportOf(page), artifacts.flatMap(artifact =>
    reportOf(artifact.url).map(report => ({ name: artifact.name, ...withMismatch(artifact, report) }))))
}

const hasUrl = (artifact: Artifact): artifact is Artifact & { url: string } => artifact.url !== undefined

/** The report of an artifact, failed where what the seller says of it is not so. */
function withMismatch(said: Artifact, seen: VerificationReport): VerificationReport {
  if (!seen.ok) return seen
  const claims = [
    ['sha256', said.sha256?.toLowerCase(), seen.sha256],
    ['bytes', said.bytes, seen.bytes],
    ['mimeType', mediaTypeOf(said.mimeType), mediaTypeOf(seen.contentType)],
  ] as const
  const wrong = claims.find(([, claimed, found]) => claimed !== undefined && claimed !== found)
  return wrong ? { ...seen, ok: false, code: 'artifact_mismatch', reason: `its ${wrong[0]} is ${wrong[2] ?? 'not given'}, not ${wrong[1]}` } : seen
}

/** Without parameters such as `charset`. */
const mediaTypeOf = (text: string | null | undefined): string | undefined => text?.split(';')[0]?.trim().toLowerCase()

type Named = VerificationReport & { name: string }

/** One report of all URLs: it shows the first that failed, else the page, else the first artifact. */
function findingOf(pages: readonly VerificationReport[], artifacts: readonly Named[]): Finding {
  const all: (VerificationReport & { name?: string })[] = [...pages, ...artifacts]
  const shown = all.find(({ ok }) => !ok) ?? all[0]
  if (!shown) throw new Error('no URL was opened')
  const { screenshot, checkedAt: _, name, ...report } = shown
  const good = all.length > 1 ? 'all URLs are there' : `the ${report.kind ?? 'page'} is there`
  const reason = report.reason === null ? good : name === undefined ? report.reason : `artifact "${name}": ${report.reason}`
  return { report: { ...report, reason, ...(artifacts.length ? { artifacts: artifacts.map(summaryOf) } : {}) }, screenshot }
}

const summaryOf = ({ name, url, ok, code, reason, kind, verifier, status, finalUrl, contentType, bytes, sha256 }: Named): ArtifactReport => ({
  name, url, ok, code, reason, kind, verifier, status, finalUrl, contentType, bytes, sha256,
})
