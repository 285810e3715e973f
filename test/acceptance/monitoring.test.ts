import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, suite, test, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { startTestService, type TestService } from '#test'
import { GatewayMetrics } from '../../server/modules/gateway/analytics/metrics.ts'
import { usageRecord } from '../support/gateway/usage.ts'

const FOLDER = join(import.meta.dirname, '../../deploy/monitoring')
/** That Prometheus adds to each sample, or makes itself. */
const ITS_OWN = new Set(['up', 'job', 'instance', 'le'])
/** PostgreSQL of the tests does not archive, and no daily reconciliation has run. */
const ABSENT = new Set([
  'svc_wal_archive_failing',
  'svc_reconciliation_open',
  'svc_reconciliation_timestamp_seconds',
])
const WORDS = new Set(
  'absent avg by delta histogram_quantile max min or rate sum time topk and unless without on'.split(' '),
)

interface Alert {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string }
}

suite('the files of deploy/monitoring/', () => {
  let service: TestService
  /** Labels by the name of the metric. */
  let exported: Map<string, Set<string>>
  let alerts: Alert[]
  let panels: { title: string; targets: { expr: string }[] }[]

  before(async () => {
    service = await startTestService()
    const { monitor } = service
    await monitor.runChecks()
    await monitor.checkBooks()
    await monitor.checkEvidence()
    await service.http('GET', '/agents')
    // Series of models appear with their first request: their labels come from the same code.
    const gateway = new GatewayMetrics(() => [['a model', 'open']])
    const attempts = [
      { model: 'another', result: 'timeout' as const, latencyMs: 5 },
      { model: 'a model', result: 'ok' as const, latencyMs: 5 },
    ]
    gateway.observe(usageRecord({ attempts, ttftMs: 5 }), 1)
    const { text } = await service.http('GET', '/metrics')
    exported = namesIn(text)
    for (const [name, labels] of labelsIn(`${text}\n${await gateway.text()}`)) {
      assert.ok(exported.has(name) || exported.has(baseOf(name)), name)
      exported.set(name, labels)
    }
    const rules = parse(await readFile(join(FOLDER, 'alerts.yml'), 'utf8')) as {
      groups: { rules: Alert[] }[]
    }
    alerts = rules.groups.flatMap(group => group.rules)
    const dashboard = JSON.parse(await readFile(join(FOLDER, 'dashboard.json'), 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[]
    }
    panels = dashboard.panels.map(({ title, targets = [] }) => ({ title, targets }))
  })
  after(() => service.close())

  test('each metric and label in a rule or panel is one of a running server', () => {
    const expressions = [
      ...alerts.map(({ alert, expr }) => [alert, expr] as const),
      ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
    ]
    assert.ok(expressions.length > 50)
    for (const [where, expr] of expressions) {
      const { metrics, labels } = partsOf(expr)
      assert.ok(metrics.length, where)
      const known = metrics.flatMap(name => [...(exported.get(name) ?? [])])
      for (const name of metrics)
        assert.ok(exported.has(name) || ITS_OWN.has(name) || ABSENT.has(name), `${where}: ${name}`)
      for (const label of labels)
        assert.ok(known.includes(label) || ITS_OWN.has(label), `${where}: label ${label}`)
    }
    assert.throws(() => assert.ok(exported.has('svc_made_up')))
  })

  test('each gauge of the service that needs an operator has an alert', async () => {
    const table = await readFile(join(FOLDER, '../../docs/OPERATIONS.md'), 'utf8')
    for (const { alert, labels, annotations } of alerts) {
      assert.match(labels.severity, /^(critical|warning|info)$/, alert)
      assert.ok(annotations.summary && annotations.description, alert)
    }
    const used = alerts.map(({ expr }) => expr).join('\n')
    const needed =
      /^svc_.*(_ok|_findings|_unanswered|_suspended|_unposted|_x402_unsettled|_x402_unsent|_overdue_seconds)$/
    for (const name of [...[...exported.keys()].filter(each => needed.test(each)), ...ABSENT]) {
      assert.ok(table.includes(`\`${name}`), `${name} is not in docs/OPERATIONS.md`)
      // The number of findings is that of a check with its own alert.
      if (!/findings/.test(name)) assert.ok(used.includes(name), name)
    }
  })

  test('promtool accepts the rules and the configuration, where it is installed', t => {
    runPromtool(t, ['check', 'rules', join(FOLDER, 'alerts.yml')])
    runPromtool(t, ['check', 'config', '--syntax-only', join(FOLDER, 'prometheus.yml')])
    runPromtool(t, ['test', 'rules', join(FOLDER, 'alerts.test.yml')])
  })
})

function runPromtool(t: TestContext, args: string[]): void {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  if (error) t.diagnostic('promtool is not installed: its check of the files is left out')
  else assert.equal(status, 0, stdout + stderr)
}

const baseOf = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '')

/** The names of all metrics, with those of the parts of histograms; their labels are known from samples. */
function namesIn(text: string): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>()
  for (const [, name = '', type = ''] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    names.set(name, new Set())
    if (type === 'histogram')
      for (const part of ['bucket', 'sum', 'count']) names.set(`${name}_${part}`, new Set())
  }
  return names
}

function labelsIn(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const [, name = '', labels = ''] of text.matchAll(/^([a-z]\w*)(?:\{([^}]*)\})? /gm)) {
    const known = found.get(name) ?? new Set<string>()
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known.add(label)
    found.set(name, known)
  }
  return found
}

/** The metrics that an expression of PromQL reads, and the labels that it selects or groups by. */
function partsOf(expr: string): { metrics: string[]; labels: string[] } {
  const plain = expr.replaceAll(/"[^"]*"/g, '""')
  const grouped = [...plain.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */))
  const selected = [...plain.matchAll(/(\w+)(?:=~|!~|!=|=)""/g)].map(([, label = '']) => label)
  const rest = plain.replaceAll(/\bby \([^)]*\)|\{[^}]*\}|\[[^\]]*\]/g, ' ')
  const metrics = [...rest.matchAll(/[a-zA-Z_]\w*/g)].map(([word]) => word).filter(word => !WORDS.has(word))
  return { metrics: [...new Set(metrics)], labels: [...grouped, ...selected] }
}
