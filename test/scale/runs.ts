import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { onEmbedded } from '../../bin/ci/postgres.ts'
import { selectTests } from '../../bin/ci/tests.ts'
import { createTestDatabase } from '#test'
import { Cluster } from './cluster.ts'
import type { Say } from './index.ts'
import { Load } from './load.ts'
import { missingPgbouncer, startPgbouncer } from './pgbouncer.ts'
import { checkShared } from './shared.ts'

const GROUP = join(import.meta.dirname, '../../bin/ci/group.ts')
const TRACKING = join(import.meta.dirname, '../../bin/ci/tracking.ts')
const CLIENTS = 16
const DEALS_BETWEEN = 50
/** The role and the password of the databases of tests. */
const ROLE = 'svc_test'

/**
 * Test files whose requests may go to any process. Left out are those that look into the memory of the service, that end a
 * credential and expect it to be refused at once (a second passes until all processes know), or that need the local chain.
 */
const ACCEPTANCE = [
  'test/races',
  'acceptance/postings',
  'acceptance/readme.test',
  'server/modules/ap2/escrow',
  'server/modules/wallets',
]

/** They end a credential and expect the next request to be refused. */
const ENDS_CREDENTIALS = /ap2\/escrow\/(?:authority|key-limit)\.test/

/** One of the runs of index.ts, on an embedded PostgreSQL without fsync. */
export async function run(name: string, count: number, say: Say): Promise<void> {
  if (name === 'pgbouncer') return throughPgbouncer(say)
  const runs: Record<string, Run> = { rolling, shared, acceptance }
  await onEmbedded(async url => {
    process.env.SVC_TEST_DATABASE_URL = url
    await runs[name]?.(count, undefined, say)
  })
}

async function throughPgbouncer(say: Say): Promise<void> {
  const missing = missingPgbouncer()
  if (missing) return say('PgBouncer', false, missing)
  await onEmbedded(async url => {
    process.env.SVC_TEST_DATABASE_URL = url
    const pgbouncer = await startPgbouncer(url, ROLE)
    try {
      for (const run of [rolling, shared, acceptance]) await run(2, pgbouncer.address, say)
    } finally {
      await pgbouncer.stop()
    }
  })
}

type Run = (count: number, pooler: string | undefined, say: Say) => Promise<void>

/** Settings of processes that reach `url` directly, or through the pooler at an address. */
function settings(url: string, pooler: string | undefined): Record<string, string> {
  if (!pooler) return { DATABASE_URL: url }
  const pooled = new URL(url)
  pooled.search = ''
  pooled.host = pooler
  return { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: url }
}

async function rolling(count: number, pooler: string | undefined, say: Say): Promise<void> {
  const database = await createTestDatabase()
  const cluster = await Cluster.open(count, settings(database.url, pooler))
  try {
    const load = await Load.start(cluster.url, CLIENTS)
    const started = performance.now()
    await load.more(DEALS_BETWEEN)
    const rate = Math.round(load.deals / ((performance.now() - started) / 1000))
    const codes = await cluster.restartAll()
    await load.more(DEALS_BETWEEN)
    await load.stop()
    say(
      'a rolling restart fails no request',
      !load.failures.length && codes.every(code => code === 0),
      `${load.requests} requests of ${CLIENTS} clients, ${load.deals} deals, ${load.failures.length} failed ${load.failures.slice(0, 3).join('; ')}; ` +
        `exit codes ${codes.join(', ')}; requests of each process ${cluster.balancer.shares.join(', ')}; ${rate} deals/s before it`,
    )
  } finally {
    await cluster.close()
    await database.drop()
  }
}

async function shared(count: number, pooler: string | undefined, say: Say): Promise<void> {
  const database = await createTestDatabase()
  try {
    await checkShared(count, settings(database.url, pooler), database.url, say)
  } finally {
    await database.drop()
  }
}

async function acceptance(count: number, pooler: string | undefined, say: Say): Promise<void> {
  const { files: all } = await selectTests(ACCEPTANCE)
  const files = all.filter(file => !ENDS_CREDENTIALS.test(file))
  const url = process.env.SVC_TEST_DATABASE_URL ?? ''
  const where = `${count} processes${pooler ? ' through PgBouncer' : ''}`
  const { status } = spawnSync(process.execPath, ['--import', TRACKING, GROUP, url, where, ...files], {
    stdio: 'inherit',
    env: {
      ...process.env,
      SVC_TEST_PROCESSES: String(count),
      ...(pooler ? { SVC_TEST_POOLER: pooler } : {}),
    },
  })
  say('acceptance', status === 0, `${files.length} test files with ${where}`)
}
