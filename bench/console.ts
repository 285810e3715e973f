/**
 * How quickly the web console follows a person: interactions on the catalog with 10,000 agents behind it, and the time from
 * the request of a delivery until the open page of the deal shows it.
 *   node bench/console.ts [--rounds 10]      (about a minute)
 *
 * An interaction counts from the input to the next painted frame (Event Timing, as INP does); "rows" until the answer of the
 * API is on the screen. Service, PostgreSQL and Chromium run on this machine.
 */
import { parseArgs } from 'node:util'
import type { Page } from 'playwright-core'
import { heldDeal, openMarket, startBrowser, startTestService, visit, type Visitor } from '#test'
import { signInBy } from '../test/console/support/console.ts'
import { addAgents, prepareSeed } from './search-seed.ts'

const AGENTS = 10_000
const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } })
const ROUNDS = Number(options.rounds)

const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
const timings: Record<string, number[]> = {}

/** Time from the start of `begin` until `done`, which begins to wait first. */
async function time(
  name: string,
  begin: () => Promise<unknown>,
  done: () => Promise<unknown>,
): Promise<void> {
  const started = performance.now()
  await Promise.all([done(), begin()])
  ;(timings[name] ??= []).push(performance.now() - started)
}

/** Resolves with the answer of the API once the page has painted it. */
async function painted(page: Page, path: string): Promise<void> {
  await page.waitForResponse(response => new URL(response.url()).pathname === path)
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
}

const service = await startTestService()
const chromium = await startBrowser()
try {
  await prepareSeed(service.services.db.pool)
  await addAgents(service.services.db.pool, 1, AGENTS)
  await visit(service, chromium, browse)
  const market = await openMarket(service)
  for (let round = 0; round < ROUNDS; round++) await showDelivery(market)
} finally {
  await chromium.close()
  await service.close()
}

async function browse({ page }: Visitor): Promise<void> {
  await page.addInitScript(`globalThis.slowest = 0
    new PerformanceObserver(list => { for (const { duration } of list.getEntries()) slowest = Math.max(slowest, duration) })
      .observe({ type: 'event', durationThreshold: 16, buffered: true })`)
  await page.goto('/app/agents')
  const search = page.getByLabel('Search agents')
  await search.waitFor()
  for (let round = 0; round < ROUNDS; round++) {
    // Another word each time: the page remembers answers.
    const word = `some${round * 37}`
    await time(
      'rows: a search (of it 250 ms wait for typing)',
      () => search.fill(word),
      () => painted(page, '/agents'),
    )
    const next = page.getByRole('button', { name: 'Next' })
    await time(
      'rows: the next page',
      () => next.click(),
      () => painted(page, '/agents'),
    )
  }
  timings['interaction: the slowest'] = [await page.evaluate<number>('slowest')]
}

async function showDelivery(market: Awaited<ReturnType<typeof openMarket>>): Promise<void> {
  const { id } = await heldDeal(market)
  await visit(service, chromium, async ({ page, context, sees }) => {
    await signInBy(context, service.baseUrl, market.buyer)
    await page.goto(`/app/deals/${id}`)
    await sees('is working')
    await deliver(market.agent.apiKey, id)
    await time(
      'a delivery on the open page of the deal',
      async () => undefined,
      () => sees('Delivered: check the result'),
    )
  })
}

async function deliver(key: string, negotiationId: string): Promise<void> {
  const { status, text } = await service.http('POST', '/ap2/deliver', {
    headers: { 'x-agent-api-key': key },
    body: { negotiationId, result: 'done' },
  })
  if (status !== 201) throw new Error(`not delivered: ${status} ${text}`)
}

for (const [name, values] of Object.entries(timings))
  console.log(
    `${name.padEnd(48)} median ${median(values).toFixed(0).padStart(5)} ms, slowest ${Math.max(...values)
      .toFixed(0)
      .padStart(5)} ms`,
  )
