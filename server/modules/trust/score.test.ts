import { test } from 'node:test'
import assert from 'node:assert/strict'
import { after, DAY } from '#platform/kernel/clock'
import { scoreOf, wilsonLowerBound } from './score.ts'
import type { Certificate } from './ports.ts'
import type { OutcomeRow } from './sql.ts'

const NOW = new Date('2026-06-01T00:00:00Z')

function outcomes(
  count: number,
  fields: Partial<OutcomeRow> & { buyers?: number; daysAgo?: number } = {},
): OutcomeRow[] {
  const { buyers = count, daysAgo = 0, ...rest } = fields
  return Array.from({ length: count }, (_, i) => ({
    dealId: `deal ${i}`,
    counterpartyAccountId: `buyer ${i % buyers}`,
    outcome: 'COMPLETED',
    onTime: true,
    disputed: false,
    test: false,
    amount: 99_000_000n,
    at: after(NOW, -daysAgo * DAY),
    ...rest,
  }))
}
const near = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 0.0005, `${actual} is not near ${expected}`)

test("the bound is Wilson's: known values", () => {
  near(wilsonLowerBound(10, 10), 0.7225)
  near(wilsonLowerBound(8, 10), 0.4902)
  near(wilsonLowerBound(0, 10), 0)
  near(wilsonLowerBound(95, 100), 0.8883)
  assert.equal(wilsonLowerBound(0, 0), 0)
})

test('without evidence everything is 0', () => {
  const nothing = { inFavor: 0, all: 0 }
  assert.deepEqual(scoreOf([], NOW), {
    score: 0,
    components: { delivery: 0, onTime: 0, disputes: 0, certification: 0 },
    evidence: { delivery: nothing, onTime: nothing, disputes: nothing, certification: nothing },
    sampleSize: 0,
    confidence: 0,
  })
})

test('more of the same makes a better score, and it stays at 100 or below', () => {
  const scores = [1, 5, 20, 100, 1000].map(count => scoreOf(outcomes(count), NOW).score)
  assert.deepEqual(
    scores,
    [...scores].sort((a, b) => a - b),
  )
  assert.ok((scores.at(-1) ?? 0) <= 100 && (scores[0] ?? 0) > 0)
})

test('failures, lateness and disputes each lower their own part', () => {
  const good = scoreOf(outcomes(20), NOW).components
  const half = (fields: Partial<OutcomeRow>) =>
    scoreOf([...outcomes(10), ...outcomes(10, fields)], NOW).components
  const failed = half({ outcome: 'FAILED', onTime: false })
  assert.ok(failed.delivery < good.delivery && failed.disputes === good.disputes)
  const late = half({ onTime: false })
  assert.ok(late.onTime < good.onTime && late.delivery === good.delivery)
  const disputed = half({ disputed: true })
  assert.ok(disputed.disputes < good.disputes && disputed.delivery === good.delivery)
})

test('a deal weighs by the logarithm of its amount; dust moves nothing', () => {
  near(
    scoreOf(outcomes(10, { amount: 9_999_000_000n }), NOW).components.delivery,
    scoreOf(outcomes(20), NOW).components.delivery,
  )
  const good = outcomes(20)
  const dust = outcomes(500, { amount: 1n, outcome: 'FAILED', onTime: false, disputed: true })
  assert.deepEqual(scoreOf([...good, ...dust], NOW).components, scoreOf(good, NOW).components)
})

test('after 90 days a deal weighs half', () => {
  near(
    scoreOf(outcomes(40, { daysAgo: 90 }), NOW).components.delivery,
    scoreOf(outcomes(20), NOW).components.delivery,
  )
})

test('one counterparty brings a fifth of the evidence at most', () => {
  assert.equal(
    scoreOf(outcomes(100, { buyers: 1 }), NOW).score,
    scoreOf(outcomes(20, { buyers: 5 }), NOW).score,
  )
  assert.equal(scoreOf(outcomes(100, { buyers: 5 }), NOW).score, scoreOf(outcomes(100), NOW).score)
  const friend = outcomes(80, { buyers: 1 })
  const others = outcomes(20).map((outcome, i) => ({
    ...outcome,
    counterpartyAccountId: `other ${i}`,
    outcome: 'FAILED' as const,
  }))
  near(scoreOf([...friend, ...others], NOW).components.delivery, wilsonLowerBound(20, 40))
})

test('money that returned does not count, and a failure cannot be bought off', () => {
  const returned = new Map(outcomes(20).map(({ counterpartyAccountId: id }) => [id, 0.5]))
  near(
    scoreOf(outcomes(20), NOW, { returned }).components.delivery,
    scoreOf(outcomes(10), NOW).components.delivery,
  )
  const failed = outcomes(20, { outcome: 'FAILED' })
  assert.deepEqual(scoreOf(failed, NOW, { returned }), scoreOf(failed, NOW))
})

function certificate(tasks: number, { passedTasks = tasks, daysAgo = 0 } = {}): Certificate {
  const verifiedAt = after(NOW, -daysAgo * DAY)
  const certification = {
    benchmark_track: 'smoke',
    score: (100 * passedTasks) / tasks,
    passed: true,
    verified_at: verifiedAt.toISOString(),
    certificate_id: 'certificate',
  }
  return { certification, tasks, passedTasks, verifiedAt, expiresAt: after(verifiedAt, 90 * DAY) }
}

test('each task of a certificate is evidence, and weighs half after 90 days', () => {
  const componentOf = (...certificates: Certificate[]) => {
    const { components, evidence } = scoreOf([], NOW, { certificates })
    assert.deepEqual([components.delivery, components.onTime, components.disputes], [0, 0, 0])
    return { component: components.certification, ...evidence.certification }
  }
  near(componentOf(certificate(10)).component, wilsonLowerBound(10, 10))
  near(componentOf(certificate(3), certificate(4)).component, wilsonLowerBound(7, 7))
  near(componentOf(certificate(10, { passedTasks: 8 })).component, wilsonLowerBound(8, 10))
  assert.deepEqual(componentOf(certificate(10, { daysAgo: 90 })), {
    component: componentOf(certificate(5)).component,
    inFavor: 5,
    all: 5,
  })
})

test('certificates alone give a tenth of the score at most', () => {
  assert.equal(scoreOf([], NOW, { certificates: [certificate(100_000)] }).score, 10)
  const trade = outcomes(20)
  assert.equal(
    scoreOf(trade, NOW, { certificates: [certificate(27)] }).score,
    Math.round(100 * (0.9 * wilsonLowerBound(20, 20) + 0.1 * wilsonLowerBound(27, 27))),
  )
})
