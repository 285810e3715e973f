import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { dollars, type RoutingFunds } from './clients/model.ts'
import { withClient } from './postgres.ts'
import type { Stage } from './stage.ts'

const LATE_MS = 60_000
/** A job of a killed server is given to another one after two minutes, and at the next look a minute later. */
const JOBS_MS = 240_000
/** Responses of the last flush before a kill are not charged (docs/gateway.md, "Crashes"). */
const UNCHARGED_MS = 3000

/** Compares what the clients were promised with what is stored, while they wait. Everything wrong becomes a finding. */
export async function checkAll(
  stage: Stage,
  { isLast, isShort }: { isLast: boolean; isShort: boolean },
): Promise<void> {
  const found = await stage.svc('ledger', 'check', ...(isLast ? ['--full'] : []))
  if (found !== null) stage.journal.find(`svc ledger check: ${found.trim().slice(-800)}`)
  await withClient(stage.postgres.url(), async client => {
    await checkWallets(stage, client)
    await checkObjects(stage, client)
    await checkKeys(stage, client)
    await checkJobs(stage, client, isLast && !isShort)
    if (isLast) await checkCounts(stage, client)
    if (isLast) await checkRouting(stage, client)
  })
  await stage.api.replay()
  await checkTimers(stage)
  if (!isLast) return
  const forged = await stage.svc('audit', 'verify')
  if (forged !== null) stage.journal.find(`svc audit verify: ${forged.trim().slice(-800)}`)
}

async function checkWallets({ model, journal }: Stage, client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ wallet: string; balance: string }>(
    `select substr(account, 6) as wallet, balance from ledger_balance where account like '2010:%' and asset = 'USD'`,
  )
  const stored = new Map(rows.map(({ wallet, balance }) => [wallet, BigInt(balance)]))
  for (const [wallet, expected] of model.wallets) {
    if (model.uncertain.has(wallet)) continue
    const balance = stored.get(wallet) ?? 0n
    if (balance !== expected)
      journal.find(`wallet ${wallet} has ${dollars(balance)}, acknowledged were ${dollars(expected)}`)
    journal.count('balances compared')
  }
}

/** Objects whose state is final are not looked at again. */
const FINAL = new Set(['RELEASED', 'REFUNDED', 'SPLIT', 'REDEEMED', 'CANCELLED', 'CANCELED'])
/** A payout that was not canceled waits for an admin if it is large, is on its way, or paid. */
const SENT = new Set(['REVIEW', 'REQUESTED', 'PENDING', 'IN_TRANSIT', 'PAID'])

async function checkObjects({ model, journal }: Stage, client: pg.Client): Promise<void> {
  for (const [table, objects] of model.objects) {
    const { rows } = await client.query<{ id: string; status: string }>(
      `select id, status from ${table} where id = any($1)`,
      [[...objects.keys()]],
    )
    const stored = new Map(rows.map(({ id, status }) => [id, status]))
    for (const [id, expected] of objects) {
      const status = stored.get(id)
      const isRight = expected === 'sent' ? SENT.has(status ?? '') : status === expected
      // A client that waits for an answer may have brought it further.
      if (!isRight && !(status && model.uncertain.size && !FINAL.has(expected)))
        journal.find(`${table} ${id} is ${status ?? 'not stored'}, acknowledged was ${expected}`)
      journal.count('objects compared')
      if (FINAL.has(expected)) objects.delete(id)
    }
  }
}

/**
 * Under each acknowledged key the response is stored. Clients that wait for an answer can get it during the query: their keys
 * are for the next check.
 */
async function checkKeys({ api, journal }: Stage, client: pg.Client): Promise<void> {
  const { keys } = api
  api.keys = []
  const { rows } = await client.query<{ key: string }>(
    'select key from platform_idempotency where key = any($1) and status is not null',
    [keys],
  )
  const stored = new Set(rows.map(({ key }) => key))
  const missing = keys.filter(key => !stored.has(key))
  if (missing.length)
    journal.find(`${missing.length} acknowledged keys have no stored response: ${missing[0]}`)
}

/** No job was given up, and at the end every job is done: the wait ends when none was done for JOBS_MS. */
async function checkJobs({ journal }: Stage, client: pg.Client, isLast: boolean): Promise<void> {
  let [least, deadline] = [Number.POSITIVE_INFINITY, 0]
  for (; ; await sleep(500)) {
    const { rows } = await client.query<{ name: string; state: string; count: string }>(
      `select name, state, count(*) from jobs.job where state in ('failed', 'active', 'created', 'retry') group by name, state`,
    )
    const open = rows.filter(({ state }) => state === 'failed' || isLast)
    const waiting = open.reduce((sum, { count }) => sum + Number(count), 0)
    if (waiting < least) [least, deadline] = [waiting, Date.now() + JOBS_MS]
    const areOver = open.every(({ state }) => state === 'failed') || Date.now() > deadline
    if (!areOver) continue
    for (const { name, state, count } of open) journal.find(`${count} jobs ${name} are ${state}`)
    return
  }
}

interface Background {
  businessTime: string
  timers: { name: string; nextDueAt: string | null }[]
}

/** No timer leaves a deadline behind. A failed attempt is repeated after some seconds. */
async function checkTimers(stage: Stage): Promise<void> {
  const tries = 150
  for (let count = 1; ; count++) {
    const background = await stage.operate<Background>('/admin/background')
    const now = Date.parse(background.businessTime)
    const late = background.timers.filter(
      ({ nextDueAt }) => nextDueAt !== null && Date.parse(nextDueAt) < now - LATE_MS,
    )
    if (!late.length) return
    if (count === tries)
      return stage.journal.find(
        `timers are stuck at ${background.businessTime}: ${late.map(({ name, nextDueAt }) => `${name} (${nextDueAt})`).join(', ')}\n${stage.servers.failures}`,
      )
    await sleep(200)
  }
}

/** Of each kind there are as many as were acknowledged. */
const TABLES = {
  escrows: 'select count(*) from ap2_escrow',
  payouts: 'select count(*) from payouts_payout',
  funded: `select count(*) from payments_intent where status = 'SUCCEEDED'`,
} as const

async function checkCounts({ journal, players }: Stage, client: pg.Client): Promise<void> {
  for (const [name, query] of Object.entries(TABLES)) {
    const { rows } = await client.query<{ count: string }>(query)
    // Each client has one payment from the beginning.
    const expected = journal.of(name) + (name === 'funded' ? players.length : 0)
    if (Number(rows[0]?.count) !== expected)
      journal.find(`${rows[0]?.count} ${name} are stored, ${expected} were acknowledged`)
  }
}

/** What was paid in is there, but for what was charged; every response is charged once, but for those that a kill lost. */
async function checkRouting(stage: Stage, client: pg.Client): Promise<void> {
  for (const [account, funds] of stage.model.routing) {
    const { rows } = await client.query<{ id: string }>(
      'select id from gateway_usage where account_id = $1',
      [account],
    )
    const charged = new Set(rows.map(({ id }) => id))
    const missing = [...funds.answered].filter(([id]) => !charged.has(id))
    const lost = missing.filter(([, at]) => !stage.journal.hadFaultAfter(at, UNCHARGED_MS))
    if (lost.length)
      stage.journal.find(
        `${lost.length} model responses are not charged although nothing failed: ${lost[0]?.join(' at ')}`,
      )
    stage.journal.count('model responses not charged', missing.length)
    await checkRoutingBalance(stage, client, { account, funds })
  }
}

async function checkRoutingBalance(
  { journal }: Stage,
  client: pg.Client,
  { account, funds }: { account: string; funds: RoutingFunds },
): Promise<void> {
  const { rows } = await client.query<{ balance: string; charged: string }>(
    `select (select coalesce(sum(balance), 0) from ledger_balance where account = '2040:' || $1
        or account in (select '2045:' || id from gateway_lease where account_id = $1::uuid)) as balance,
      (select coalesce(sum(-e.amount), 0) from ledger_entry e join ledger_journal j on j.id = e.journal_id
        where e.account in (select '2045:' || id from gateway_lease where account_id = $1::uuid and not test)
        and j.kind = 'routing_usage') as charged`,
    [account],
  )
  const { balance = '0', charged = '0' } = rows[0] ?? {}
  if (BigInt(balance) + BigInt(charged) !== funds.paidIn)
    journal.find(
      `routing funds of ${account}: ${dollars(funds.paidIn)} paid in, ${dollars(BigInt(balance))} there, ${dollars(BigInt(charged))} charged`,
    )
}
