import type { Target, VerificationReport } from '#platform/adapters/browser/verifier'
import { QueueFull } from '#platform/kernel/collections/fair-queue'
import type { Services } from '#platform/kernel/services'
import type { Artifact, DeliveryRow, NegotiationRow } from '../deal/rows.ts'
import type { Criterion, SizeRange } from './criterion.ts'
import { resultOf, type CriterionResult, type Outcome } from './result.ts'

/** What a delivery is checked against. */
export interface Check {
  negotiation: NegotiationRow
  delivery: DeliveryRow
  criteria: readonly Criterion[]
  /** The URLs of the delivery that were opened. */
  opened: readonly VerificationReport[]
}

const PASSED: Outcome = { status: 'PASSED', detail: null }
const PENDING: Outcome = { status: 'PENDING', detail: null }
const failed = (detail: string): Outcome => ({ status: 'FAILED', detail })
const inconclusive = (detail: string): Outcome => ({ status: 'ERROR', detail })

/**
 * The result of each criterion that the service can check by itself; those of rubrics and checkers are PENDING. Changes
 * nothing. Throws `QueueFull` if too many deliveries are being checked.
 */
export async function checkCriteria(services: Services, check: Check): Promise<CriterionResult[]> {
  const seen = await openUrls(services, check)
  const results: CriterionResult[] = []
  for (const criterion of check.criteria) {
    const outcome = await outcomeOf(services, criterion, { ...check, seen })
    results.push(resultOf(criterion, outcome, services.clock.now()))
  }
  return results
}

/** The reports of criteria of kind `url`, by key. */
type Seen = ReadonlyMap<string, VerificationReport>

async function outcomeOf(
  services: Services,
  criterion: Criterion,
  check: Check & { seen: Seen },
): Promise<Outcome> {
  if (criterion.kind === 'json-schema') return fitsSchema(services, criterion.schema, check)
  if (criterion.kind === 'url') return ofReport(check.seen.get(criterion.key))
  if (criterion.kind === 'file') return isFile(criterion, check)
  return PENDING
}

async function fitsSchema(
  { schemas }: Services,
  schema: object,
  { negotiation, delivery: { result } }: Check,
): Promise<Outcome> {
  if (result === null) return failed('the delivery has no result')
  const { ok, reason } = await schemas.check(negotiation.sellerAccountId, {
    type: 'value',
    schema,
    value: result,
  })
  return ok ? PASSED : failed(reason)
}

/** Opens the address of each criterion of kind `url`, or the delivered page. */
async function openUrls({ verifier }: Services, { negotiation, delivery, criteria }: Check): Promise<Seen> {
  const keys: string[] = []
  const targets: Target[] = []
  for (const each of criteria) {
    const url = each.kind === 'url' ? (each.url ?? delivery.deliverableUrl) : null
    if (each.kind !== 'url' || url === null) continue
    keys.push(each.key)
    targets.push({ url, expectText: each.text, selector: each.selector, expectStatus: each.status })
  }
  if (!targets.length) return new Map()
  const reports = await verifier.checkAll(targets, negotiation.sellerAccountId, { all: true })
  if (reports.some(({ code }) => code === 'unavailable')) throw new QueueFull()
  return new Map(reports.map((report, index) => [keys[index] ?? '', report]))
}

/** What nobody is to blame for fails nothing. */
function ofReport(report: VerificationReport | undefined): Outcome {
  if (!report) return failed('the delivery has no deliverableUrl')
  if (report.ok) return PASSED
  const reason = report.reason ?? report.code
  const isOpen = ['no_browser', 'selector_invalid'].includes(report.code)
  return isOpen ? inconclusive(reason) : failed(reason)
}

type FileCriterion = Extract<Criterion, { kind: 'file' }>

/** The artifact of that name, else the first one with content, else the delivered file. */
function isFile(criterion: FileCriterion, { delivery, opened }: Check): Outcome {
  const { name } = criterion
  const artifact = (delivery.artifacts ?? []).find(
    each =>
      (each.url !== undefined || each.vaultId !== undefined) && (name === undefined || each.name === name),
  )
  if (artifact?.vaultId !== undefined) return isStoredFile(criterion, artifact)
  const url = artifact?.url ?? (name === undefined ? delivery.deliverableUrl : null)
  if (url === null)
    return failed(
      name === undefined
        ? 'the delivery has no file: neither a URL nor an artifact of the vault'
        : `no artifact "${name}" with a URL or from the vault`,
    )
  const report = opened.find(each => each.url === url)
  if (!report) return PENDING
  if (!report.ok) return ofReport(report)
  const { contentType, bytes, sha256 } = report
  return hasProperties(criterion, { type: contentType, bytes, sha256 })
}

/** What the vault stored was compared with the claims of the delivery (`withVaultArtifacts`). */
function isStoredFile(criterion: FileCriterion, { mimeType, bytes, sha256 }: Artifact): Outcome {
  if (bytes === undefined || sha256 === undefined) return inconclusive('the artifact was erased')
  return hasProperties(criterion, { type: mimeType ?? null, bytes, sha256 })
}

function hasProperties(
  { type, size, sha256 }: FileCriterion,
  file: { type: string | null; bytes: number; sha256: string | null },
): Outcome {
  const found = file.type?.split(';')[0]?.trim().toLowerCase() ?? 'not given'
  if (type !== undefined && !isMediaType(found, type)) return failed(`its type is ${found}, not ${type}`)
  if (size !== undefined && !isWithin(file.bytes, size)) return failed(`it has ${file.bytes} bytes`)
  if (sha256 !== undefined && file.sha256 !== sha256) return failed(`its sha256 is ${file.sha256}`)
  return PASSED
}

const isMediaType = (found: string, wanted: string): boolean =>
  wanted.endsWith('/*') ? found.startsWith(wanted.slice(0, -1)) : found === wanted

const isWithin = (bytes: number, { min = 0, max = Infinity }: SizeRange): boolean =>
  bytes >= min && bytes <= max
