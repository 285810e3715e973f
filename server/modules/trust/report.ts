import { visibleAgent } from '#agents'
import type { PublicContext } from '#platform/http/principal'
import type { Page } from '#platform/http/schema'
import { TOTAL_CAP } from '#platform/http/schema'
import type { Queryable } from '#platform/kernel/db'
import { EVIDENCE_MAX, readReturned } from './evaluate.ts'
import { readCertificates, type Certificate } from './ports.ts'
import { FORMULA, round, scoreOf, weightOfCertificate, weightsOf, type Weight } from './score.ts'
import * as statements from './sql.ts'
import type { OutcomeRow } from './sql.ts'

const SHOWN = 20

/** The score as of now with what it rests on, and what did not count and why. Counterparties are not named. */
export async function trustReport(q: Queryable, ctx: PublicContext, agentId: string, now: Date) {
  const agent = await visibleAgent(q, ctx, { id: agentId })
  const [outcomes, excluded, returned, certificates, standing] = await Promise.all([
    q.rows(statements.countedOutcomes(agent.id, EVIDENCE_MAX)),
    q.rows(statements.excludedOutcomes(agent.id, SHOWN)),
    readReturned(q, agent.id),
    readCertificates(q, agent.id),
    q.one(statements.standingOf(agent.id, null)),
  ])
  const weights = weightsOf(outcomes, now, returned)
  const transactions = outcomes.slice(0, SHOWN).map((outcome, index) => ({
    ...shown(outcome),
    ...explained(weights[index]),
  }))
  const uncounted = excluded.map(({ exclusion, ...outcome }) => ({
    ...shown(outcome),
    weight: 0,
    reductions: [{ reason: exclusion, factor: 0 }],
  }))
  return {
    agentId: agent.id,
    tier: agent.trustTier,
    formula: FORMULA,
    ...scoreOf(outcomes, now, { returned, certificates }),
    transactions,
    certificates: certificates.map(each => shownCertificate(each, now)),
    uncounted,
    excluded: {
      selfDeals: standing.selfDeals,
      testDeals: standing.testDealsCount ? 0 : standing.testDeals,
    },
  }
}

const shown = ({ dealId, outcome, onTime, disputed, test, at }: OutcomeRow) => ({
  dealId,
  outcome,
  onTime,
  disputed,
  test,
  at: at.toISOString(),
})

const shownCertificate = (certificate: Certificate, now: Date) => ({
  benchmark_track: certificate.certification.benchmark_track,
  certificate_id: certificate.certification.certificate_id,
  tasks: certificate.tasks,
  passedTasks: certificate.passedTasks,
  weight: round(weightOfCertificate(certificate, now)),
  verifiedAt: certificate.verifiedAt.toISOString(),
  expiresAt: certificate.expiresAt.toISOString(),
})

/** The weight of a deal, and what made it weigh less than its amount does. */
function explained(weight: Weight | undefined) {
  const factors = weight?.factors ?? { AGE: 1, MONEY_RETURNED: 1, COUNTERPARTY_SHARE: 1 }
  const reductions = (['AGE', 'MONEY_RETURNED', 'COUNTERPARTY_SHARE'] as const)
    .map(reason => ({ reason, factor: round(factors[reason]) }))
    .filter(({ factor }) => factor < 1)
  return { weight: round(weight?.weight ?? 0), reductions }
}

/** The changes of score and tier, the newest first. */
export async function trustHistory(q: Queryable, ctx: PublicContext, agentId: string, page: Page) {
  const agent = await visibleAgent(q, ctx, { id: agentId })
  const [rows, { counted }] = await Promise.all([
    q.rows(statements.historyOf(agent.id, page)),
    q.one(statements.countHistory(agent.id, TOTAL_CAP + 1)),
  ])
  const items = rows.map(({ id, reason, dealId, at, ...change }) => ({
    id,
    reason,
    dealId,
    tier: { from: change.tierFrom, to: change.tierTo },
    score: { from: change.scoreFrom, to: change.scoreTo },
    at: at.toISOString(),
  }))
  return { items, counted }
}
