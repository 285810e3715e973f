import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openPlayers, STEPS, type Player, type Step } from '../../bench/deals/players.ts'
import { Cluster } from './cluster.ts'
import type { Say } from './index.ts'
import { startPair, type PostgresPair } from './postgres-pair.ts'

const CLIENTS = 8
const DEALS_BEFORE = 40
const DEALS_AFTER = 40
/** The service is back within this time after the promotion. */
const BACK_MS = 10_000
const RETRY_MS = 50
const RETRIES = 1200
/** The status of a deal after each step; later ones are in this order too. */
const STATUS: Readonly<Record<Step, string>> = {
  negotiate: 'PENDING',
  accept: 'ACCEPTED',
  initiate: 'ESCROWED',
  deliver: 'DELIVERED',
  release: 'COMPLETED',
}
const ORDER = ['PENDING', 'ACCEPTED', 'ESCROWED', 'IN_PROGRESS', 'DELIVERED', 'COMPLETED']

/** What was acknowledged: the last step of each deal, and when anything was acknowledged last. */
interface Played {
  steps: Map<string, Step>
  deals: number
  times: number[]
  isStopping: boolean
}

/** Kills the primary under load, promotes the standby, and compares what was acknowledged with what is stored. */
export async function runFailover(say: Say): Promise<void> {
  const pair = await startPair()
  const key = randomBytes(32).toString('hex')
  const cluster = await Cluster.open(2, { DATABASE_URL: pair.url, SVC_MASTER_KEY: key })
  const record: Played = { steps: new Map(), deals: 0, times: [], isStopping: false }
  try {
    const players = await openPlayers(cluster.url, CLIENTS, true)
    const playing = Promise.all(players.map(player => playOn(player, record)))
    await completed(record, DEALS_BEFORE)
    const before = record.steps.size
    const killedAt = performance.now()
    await pair.killPrimary()
    await pair.promote()
    const promotedAt = performance.now()
    await completed(record, record.deals + DEALS_AFTER)
    record.isStopping = true
    await playing
    for (const player of players) player.close()
    const back = record.times.find(time => time > promotedAt) ?? Infinity
    const [ms, sinceKill, promotion] = [back - promotedAt, back - killedAt, promotedAt - killedAt].map(
      Math.round,
    )
    say(
      'the service is back after a failover',
      back - killedAt <= BACK_MS,
      `${sinceKill} ms after the kill: ${promotion} ms until the standby was promoted, ${ms} ms until the next request was acknowledged`,
    )
    await compare(pair, record, { before, key }, say)
  } finally {
    await cluster.close()
    await pair.stop()
  }
}

async function completed(record: Played, deals: number): Promise<void> {
  while (record.deals < deals) await sleep(20)
}

/** Plays deals; a step that fails is sent again with its idempotency key, as docs/API.md asks of clients. */
async function playOn(player: Player, record: Played): Promise<void> {
  while (!record.isStopping) {
    let deal = ''
    await player.playDeal(async (step, work) => {
      for (let tries = 1; ; tries++) {
        const response = await work()
        const isRefused = response.status >= 500 || response.status === 409
        if (isRefused && tries < RETRIES) {
          await sleep(RETRY_MS)
          continue
        }
        if (response.status > 201) return response
        if (step === 'negotiate') deal = String(response.body.id)
        record.steps.set(deal, step)
        record.times.push(performance.now())
        return response
      }
    })
    record.deals++
  }
}

async function compare(
  pair: PostgresPair,
  record: Played,
  { before, key }: { before: number; key: string },
  say: Say,
): Promise<void> {
  const database = new pg.Client({ connectionString: pair.standbyUrl })
  await database.connect()
  const { rows } = await database.query<{ id: string; status: string }>(
    'select id, status from ap2_negotiation',
  )
  const { rows: journals } = await database.query<{ kind: string; count: number }>(
    "select kind, count(*)::int as count from ledger_journal where kind in ('ap2.hold', 'ap2.release') group by kind order by kind",
  )
  await database.end()
  const stored = new Map(rows.map(({ id, status }) => [id, status]))
  const lost = [...record.steps].filter(
    ([id, step]) => ORDER.indexOf(stored.get(id) ?? '') < ORDER.indexOf(STATUS[step]),
  )
  const counts = Object.fromEntries(journals.map(({ kind, count }) => [kind, count]))
  const started = [...record.steps.values()].filter(
    step => STEPS.indexOf(step) >= STEPS.indexOf('initiate'),
  ).length
  say(
    'nothing acknowledged is lost or doubled',
    !lost.length && counts['ap2.hold'] === started && counts['ap2.release'] === record.deals,
    `${record.times.length} acknowledged steps of ${record.steps.size} deals (${before} before the kill): ${lost.length} lost; ` +
      `${started} fundings and ${record.deals} releases acknowledged, ${counts['ap2.hold']} and ${counts['ap2.release']} posted`,
  )
  const check = spawnSync('bin/svc', ['ledger', 'check'], {
    env: { PATH: process.env.PATH, DATABASE_URL: pair.url, SVC_MASTER_KEY: key },
    encoding: 'utf8',
  })
  say(
    'svc ledger check',
    check.status === 0,
    `${check.stdout}${check.stderr}`.trim().split('\n').slice(-2).join(' '),
  )
}
