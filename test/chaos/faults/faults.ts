import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '#test'
import type { Stage } from '../stage.ts'
import { withClient } from '../postgres.ts'

/** How long a fault lasts, in milliseconds; of a short run less. */
const span = ({ random, isShort }: Round, most: number): number =>
  200 + random.below(isShort ? Math.min(most, 1000) : most)

export interface Round {
  stage: Stage
  random: Random
  isShort: boolean
}
type Fault = (round: Round) => Promise<unknown>

/** A point of jobs and timers that a process of a few seconds reaches. */
const BACKGROUND_POINTS = 400

const killServer: Fault = async ({ stage, random }) => {
  const failpoint = random.chance(0.15) ? 1 + random.below(BACKGROUND_POINTS) : 0
  stage.servers.kill(1, failpoint)
}

const killAllServers: Fault = async ({ stage }) => {
  stage.servers.kill(stage.servers.count)
}

/** A request ends its server at the next point of its operation; those come first whose points are not all known. */
const failpoint: Fault = async ({ stage }) => stage.plan.order()

const killPostgres: Fault = async ({ stage, random }) => {
  const immediate = random.chance(0.25)
  await stage.postgres.end(immediate ? 'SIGQUIT' : 'SIGKILL')
  stage.journal.count(immediate ? 'immediate stops of PostgreSQL' : 'kills of PostgreSQL')
  await sleep(random.below(500))
  await stage.restartPostgres()
}

const killBoth: Fault = async round => {
  await Promise.all([killAllServers(round), killPostgres(round)])
}

const killBackend: Fault = async ({ stage, random }) => {
  const writers = await stage.postgres.writers()
  if (writers.length) stage.postgres.signal(random.pick(writers), 'SIGKILL')
}

const slow: Fault = async round => {
  const { stage, random } = round
  stage.line.delayMs = 5 + random.below(60)
  await sleep(span(round, 3000))
  stage.line.delayMs = 0
}

/** EIO for what writers ask of the disk; PostgreSQL must not acknowledge what it could not write. */
const brokenDisk: Fault = async round => {
  const { stage, random } = round
  const pids = await stage.postgres.writers()
  const calls = random.pick(['fsync,fdatasync', 'pwrite64,pwritev,write', 'fdatasync'])
  const tracer = spawn(
    'strace',
    [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      `trace=${calls}`,
      '-e',
      `inject=${calls}:error=EIO:when=1+7`,
    ].concat(pids.flatMap(pid => ['-p', String(pid)])),
    { stdio: 'ignore' },
  )
  const ended = new Promise(resolve => tracer.once('close', resolve))
  await sleep(span(round, 1500))
  tracer.kill('SIGINT')
  await ended
  await stage.restartPostgres()
}

const fullDisk: Fault = async round => {
  await round.stage.postgres.fillDisk(span(round, 2500))
  await round.stage.restartPostgres()
}

/** Events of the last minute are sent again, some in several copies, in another order. */
const repeatEvents: Fault = ({ stage }) =>
  withClient(stage.postgres.url(), async client => {
    const { rowCount } = await client.query(
      `update platform_processor_event set delivered_at = null, copies = 1 + trunc(random() * 3)::int,
         next_attempt_at = now() + random() * interval '2 seconds'
       where id in (select id from platform_processor_event where created_at > now() - interval '1 minute' order by random() limit 30)`,
    )
    stage.journal.count('events sent again', rowCount ?? 0)
  })

/** Events that were not delivered so far never are. */
const loseEvents: Fault = ({ stage }) =>
  withClient(stage.postgres.url(), async client => {
    const { rowCount } = await client.query(
      'update platform_processor_event set next_attempt_at = null where delivered_at is null and next_attempt_at is not null',
    )
    stage.journal.count('events lost', rowCount ?? 0)
  })

/** The processor gives no answer to some calls, whether or not they took effect, and some events are never sent. */
const breakProcessor: Fault = ({ stage, random }) =>
  stage.operate('/sandbox/processor/faults', {
    kind: random.pick(['not_reached', 'answer_lost']),
    count: 1 + random.below(4),
    delayMs: random.below(500),
    silent: random.chance(0.5),
  })

interface Kind {
  name: string
  weight: number
  fault: Fault
}

const KINDS: readonly Kind[] = [
  { name: 'kill of a server', weight: 50, fault: killServer },
  { name: 'kill of all servers', weight: 10, fault: killAllServers },
  { name: 'failpoint of a request', weight: 40, fault: failpoint },
  { name: 'kill of PostgreSQL', weight: 9, fault: killPostgres },
  { name: 'kill of PostgreSQL and all servers', weight: 3, fault: killBoth },
  { name: 'kill of a process of PostgreSQL', weight: 2, fault: killBackend },
  { name: 'sessions ended', weight: 2, fault: ({ stage }) => stage.postgres.terminateSessions() },
  { name: 'connections cut', weight: 2, fault: async ({ stage }) => stage.line.cut() },
  { name: 'slow database', weight: 2, fault: slow },
  { name: 'silent line to the database', weight: 2, fault: each => each.stage.line.hold(span(each, 5000)) },
  { name: 'frozen PostgreSQL', weight: 2, fault: each => each.stage.postgres.freeze(span(each, 6000)) },
  { name: 'full disk (ENOSPC)', weight: 1, fault: fullDisk },
  { name: 'broken disk (EIO)', weight: 1, fault: brokenDisk },
  { name: 'events sent again', weight: 3, fault: repeatEvents },
  { name: 'events lost', weight: 2, fault: loseEvents },
  { name: 'processor without answers', weight: 3, fault: breakProcessor },
]

/** Faults that follow from the seed, of those that are possible here. */
export class Faults {
  readonly #bag: readonly Kind[]
  readonly #round: Round

  constructor(
    round: Round,
    { impossible, only = '' }: { impossible: readonly string[]; only?: string | undefined },
  ) {
    this.#round = round
    const kinds = KINDS.filter(({ name }) => !impossible.includes(name) && name.includes(only))
    this.#bag = kinds.flatMap(kind => Array.from({ length: kind.weight }, () => kind))
  }

  /** Brings about the next fault; returns when it has passed. */
  async next(): Promise<void> {
    const { stage, random } = this.#round
    const { name, fault } = random.pick(this.#bag)
    stage.journal.fault(name)
    await fault(this.#round).catch((error: unknown) => {
      // Two faults at once: the database is not there to ask.
      stage.journal.count(`not possible at that moment: ${name}: ${(error as Error).message.slice(0, 60)}`)
    })
  }
}

export const DISK_FULL = 'full disk (ENOSPC)'
export const DISK_BROKEN = 'broken disk (EIO)'
