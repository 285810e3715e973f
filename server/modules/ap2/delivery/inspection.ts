import type { Target, VerificationReport } from '#platform/adapters/browser/verifier'
import { QueueFull } from '#platform/kernel/collections/fair-queue'
import type { Services } from '#platform/kernel/services'
import { askChecker } from '../criteria/checker.ts'
import { checkCriteria, type Check } from '../criteria/check.ts'
import { criteriaFor, type Criterion } from '../criteria/criterion.ts'
import {
  firstFailed,
  isMachinePending,
  pendingCheckers,
  resultOf,
  type CriterionResult,
} from '../criteria/result.ts'
import { readFunded, type FundedDeal } from '../deal/deal.ts'
import type { Artifact, ArtifactReport, DeliveryRow, NegotiationRow, Report } from '../deal/rows.ts'

/** What was found of a delivery, and the picture of its page. */
export interface Finding {
  report: Omit<Report, 'checkedAt'>
  screenshot: Buffer | null
  /** The result of each agreed criterion; null if there is none. */
  criteria: CriterionResult[] | null
  /** Since when the checkers of the buyer are asked. */
  checkingSince: Date | null
}

type Look = Pick<Finding, 'report' | 'screenshot'> & { opened: readonly VerificationReport[] }

/** The verdict on a delivery that there is nothing to inspect. */
export const ACCEPTED_AS_DELIVERED = {
  ok: true,
  code: 'ok',
  reason: 'stored as delivered',
  verifier: 'schema',
} as const

/**
 * True if a schema or a criterion was agreed that the service checks, or if the delivery names a URL: then it is inspected
 * outside any transaction.
 */
export const needsInspection = (
  { acceptanceSchema }: Pick<NegotiationRow, 'acceptanceSchema'>,
  {
    artifacts,
    deliverableUrl,
    hints,
    criteria,
  }: Pick<DeliveryRow, 'artifacts' | 'deliverableUrl' | 'hints' | 'criteria'>,
): boolean =>
  acceptanceSchema !== null ||
  (criteria ?? []).some(isMachinePending) ||
  deliverableUrl !== null ||
  hints?.url !== undefined ||
  (artifacts ?? []).some(hasUrl)

/**
 * The result must fit the agreed schema, every URL must open, and the agreed criteria must be met. A delivery whose checkers
 * are being asked is inspected no further. Changes nothing.
 */
export async function inspectDelivery(services: Services, delivery: DeliveryRow): Promise<Finding> {
  const deal = await readFunded(services.db, delivery.escrowId)
  const { negotiation } = deal
  const criteria = criteriaFor(negotiation.acceptance, milestoneKeyOf(deal, delivery))
  if (delivery.checkingSince && delivery.report) {
    const { report, checkingSince } = delivery
    const asked = await askCheckers(services, criteria, { deal, delivery, results: delivery.criteria ?? [] })
    return { report, screenshot: null, criteria: asked, checkingSince }
  }
  const look = await lookAt(services, negotiation, delivery)
  const rest = { ...look, checkingSince: null }
  if (!delivery.criteria || look.report.code === 'unavailable')
    return { ...rest, criteria: delivery.criteria }
  const results = await resultsOf(services, { negotiation, delivery, criteria, opened: look.opened })
  if (!results) return { ...rest, report: BUSY, criteria: delivery.criteria }
  // Nothing is asked about work that fails anyway.
  if (!look.report.ok || firstFailed(results) || !pendingCheckers(criteria, results).length)
    return { ...rest, criteria: results }
  const checkingSince = services.clock.now()
  const asked = await askCheckers(services, criteria, { deal, delivery, results })
  return { ...rest, criteria: asked, checkingSince }
}

const milestoneKeyOf = ({ milestones }: FundedDeal, { milestoneId }: DeliveryRow): string =>
  milestones.find(({ id }) => id === milestoneId)?.key ?? ''

const BUSY = {
  ok: false,
  code: 'unavailable',
  reason: 'too many deliveries of this account are being checked',
  verifier: 'schema',
}

/** Null if too many deliveries of the account are being checked. */
async function resultsOf(services: Services, check: Check): Promise<CriterionResult[] | null> {
  try {
    return await checkCriteria(services, check)
  } catch (error) {
    if (error instanceof QueueFull) return null
    throw error
  }
}

interface Asking {
  deal: FundedDeal
  delivery: DeliveryRow
  results: CriterionResult[]
}

/** Asks the checkers without an answer, once each; the results after that. */
async function askCheckers(
  services: Services,
  criteria: readonly Criterion[],
  { deal, delivery, results }: Asking,
): Promise<CriterionResult[]> {
  const { negotiation } = deal
  const milestoneKey = negotiation.milestones ? milestoneKeyOf(deal, delivery) : null
  const subject = { negotiation, delivery, milestoneKey }
  const answers = await Promise.all(
    pendingCheckers(criteria, results).map(async checker =>
      resultOf(checker, await askChecker(services, checker, subject), services.clock.now()),
    ),
  )
  return results.map(result => answers.find(({ key }) => key === result.key) ?? result)
}

async function lookAt(services: Services, negotiation: NegotiationRow, delivery: DeliveryRow): Promise<Look> {
  const byRule = await inspectResult(services, negotiation, delivery)
  if (!byRule.report.ok) return byRule
  return (await inspectUrls(services, negotiation, delivery)) ?? byRule
}

/** An agreed schema always applies: a page or a file does not replace the result that it asks for. */
async function inspectResult(
  { schemas }: Services,
  { acceptanceSchema: schema, sellerAccountId: account }: NegotiationRow,
  { result }: DeliveryRow,
): Promise<Look> {
  const finding = (code: string, reason: string): Look => ({
    report: { ok: code === 'ok', code, reason, verifier: 'schema' },
    screenshot: null,
    opened: [],
  })
  if (!schema) return { report: ACCEPTED_AS_DELIVERED, screenshot: null, opened: [] }
  if (result === null)
    return finding('schema_mismatch', 'the agreed outputSchema asks for a result, and the delivery has none')
  try {
    const { ok, code, reason } = await schemas.check(account, { type: 'value', schema, value: result })
    return finding(code, ok ? 'fits the agreed schema' : reason)
  } catch (error) {
    if (error instanceof QueueFull)
      return finding('unavailable', 'too many deliveries of this account are being checked')
    throw error
  }
}

/** Opens the page and every artifact with a URL; null where the delivery names none. */
async function inspectUrls(
  { verifier }: Services,
  { sellerAccountId: account }: NegotiationRow,
  delivery: DeliveryRow,
): Promise<Look | null> {
  const artifacts = (delivery.artifacts ?? []).filter(hasUrl)
  // The seller writes the hints: they never replace the page that it delivers.
  const page = delivery.deliverableUrl ?? delivery.hints?.url
  const targets: Target[] =
    page === null || page === undefined ? [] : [{ url: page, expectText: delivery.hints?.expectText }]
  for (const { url } of artifacts) if (!targets.some(target => target.url === url)) targets.push({ url })
  if (targets.length === 0) return null
  const opened = await verifier.checkAll(targets, account)
  const reportOf = (url: string) => opened.filter(report => report.url === url)
  const look = findingOf(
    page === null || page === undefined ? [] : reportOf(page),
    artifacts.flatMap(artifact =>
      reportOf(artifact.url).map(report => ({ name: artifact.name, ...withMismatch(artifact, report) })),
    ),
  )
  return { ...look, opened }
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
  return wrong
    ? {
        ...seen,
        ok: false,
        code: 'artifact_mismatch',
        reason: `its ${wrong[0]} is ${wrong[2] ?? 'not given'}, not ${wrong[1]}`,
      }
    : seen
}

/** Without parameters such as `charset`. */
const mediaTypeOf = (text: string | null | undefined): string | undefined =>
  text?.split(';')[0]?.trim().toLowerCase()

type Named = VerificationReport & { name: string }

/** One report of all URLs: it shows the first that failed, else the page, else the first artifact. */
function findingOf(
  pages: readonly VerificationReport[],
  artifacts: readonly Named[],
): Pick<Finding, 'report' | 'screenshot'> {
  const all: (VerificationReport & { name?: string })[] = [...pages, ...artifacts]
  const shown = all.find(({ ok }) => !ok) ?? all[0]
  if (!shown) throw new Error('no URL was opened')
  const { screenshot, checkedAt: _, name, ...report } = shown
  const good = all.length > 1 ? 'all URLs are there' : `the ${report.kind ?? 'page'} is there`
  const reason =
    report.reason === null
      ? good
      : name === undefined
        ? report.reason
        : `artifact "${name}": ${report.reason}`
  return {
    report: { ...report, reason, ...(artifacts.length ? { artifacts: artifacts.map(summaryOf) } : {}) },
    screenshot,
  }
}

const summaryOf = ({
  name,
  url,
  ok,
  code,
  reason,
  kind,
  verifier,
  status,
  finalUrl,
  contentType,
  bytes,
  sha256,
}: Named): ArtifactReport => ({
  name,
  url,
  ok,
  code,
  reason,
  kind,
  verifier,
  status,
  finalUrl,
  contentType,
  bytes,
  sha256,
})
