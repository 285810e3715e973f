import { setTimeout as sleep } from 'node:timers/promises'
import { spawnSync } from 'node:child_process'
import { Random } from '#test'
import { checkAll } from './checks.ts'
import { DISK_BROKEN, DISK_FULL, Faults } from './faults/faults.ts'
import { Journal } from './journal.ts'
import { Stage } from './stage.ts'

export interface Options {
  seed: number
  folder: string
  clients: number
  servers: number
  /** The run ends when it has had this many rounds, kills of servers and kills of PostgreSQL, or after `minutes`. */
  rounds: number
  kills: number
  postgresKills: number
  minutes: number
  /** Faults between two checks. */
  faultsPerRound: number
  /** A part of the names of the faults. */
  only?: string | undefined
  /** Of a test: faults are short. */
  isShort: boolean
  /** Ends the run early, with the last check. */
  signal?: AbortSignal
  say(line: string): void
}

/** Time that passes in each step, so that deadlines fall due. */
const STEP_SECONDS = 61
const STEP_MS = 20_000
/** Between two faults. */
const MOST_ANSWERS = 12
const PATIENCE_MS = 30_000
const IDLE_MS = 8000
const LAST_IDLE_MS = 200_000

export const killsOf = (journal: Journal): number =>
  journal.of('kills of a server at random') + journal.of('kills of a server at failpoints')
export const postgresKillsOf = (journal: Journal): number =>
  journal.of('kills of PostgreSQL') + journal.of('immediate stops of PostgreSQL')

/** Clients work on real servers while these, PostgreSQL, the line between them and the processor fail. */
export async function runChaos(options: Options): Promise<Journal> {
  const journal = new Journal(options.say)
  const { folder, seed, servers, clients } = options
  const stage = await Stage.open({ folder, journal, seed, servers, clients })
  try {
    await new Run(stage, options).run()
  } finally {
    await stage.close()
  }
  return journal
}

class Run {
  readonly #stage: Stage
  readonly #options: Options
  readonly #random: Random
  readonly #faults: Faults
  readonly #until: number
  readonly #started = Date.now()
  #isOver = false

  constructor(stage: Stage, options: Options) {
    this.#stage = stage
    this.#options = options
    this.#random = new Random(options.seed)
    this.#until = Date.now() + options.minutes * 60_000
    const hasTracer = spawnSync('strace', ['-V']).status === 0
    const impossible = [...(stage.postgres.hasDisk ? [] : [DISK_FULL]), ...(hasTracer ? [] : [DISK_BROKEN])]
    for (const name of impossible) options.say(`Left out, because this machine cannot do it: ${name}`)
    const { isShort, only } = options
    this.#faults = new Faults({ stage, random: this.#random, isShort }, { impossible, only })
  }

  async run(): Promise<void> {
    const { players } = this.#stage
    const clock = this.#passTime()
    this.#say('the clients are ready')
    for (const player of players) player.start()
    for (let round = 1; !this.#isDone(round); round++) {
      if (round > 1) await this.#check(false)
      await this.#round()
      this.#say(`round ${round}: ${this.#figures()}`)
    }
    this.#say('last check')
    await this.#check(true)
    this.#isOver = true
    await Promise.all([clock, ...players.map(player => player.stop())])
  }

  /** Whether its time is up, or it was asked to end. */
  get #isOut(): boolean {
    return Date.now() > this.#until || this.#options.signal?.aborted === true
  }

  #isDone(round: number): boolean {
    const { rounds, kills, postgresKills } = this.#options
    const { journal } = this.#stage
    if (this.#isOut || round > rounds || journal.hasFailedStart) return true
    return killsOf(journal) >= kills && postgresKillsOf(journal) >= postgresKills
  }

  async #round(): Promise<void> {
    for (let count = 0; count < this.#options.faultsPerRound && !this.#isOut; count++) {
      await this.#answers(1 + this.#random.below(MOST_ANSWERS))
      await sleep(this.#random.below(300))
      await this.#faults.next()
    }
  }

  /** Waits until some requests were acknowledged since the last fault, so that there is something to lose. */
  async #answers(count: number): Promise<void> {
    const { journal } = this.#stage
    const wanted = journal.of('acknowledged') + count
    for (
      const deadline = Date.now() + PATIENCE_MS;
      journal.of('acknowledged') < wanted && Date.now() < deadline;
    )
      await sleep(20)
  }

  /** The clients wait while what they were promised is compared with what is stored. */
  async #check(isLast: boolean): Promise<void> {
    const stage = this.#stage
    await stage.rest(isLast ? LAST_IDLE_MS : IDLE_MS, isLast, async waiting => {
      this.#say(`checks, ${waiting} clients wait for an answer`)
      await checkAll(stage, { isLast, isShort: this.#options.isShort })
    })
  }

  #say(line: string): void {
    const seconds = Math.round((Date.now() - this.#started) / 1000)
    this.#options.say(`${seconds} s: ${line}`)
  }

  #figures(): string {
    const { journal } = this.#stage
    const kills = `${killsOf(journal)} kills of servers, ${postgresKillsOf(journal)} of PostgreSQL`
    return `${kills}, ${journal.of('acknowledged')} acknowledged, ${journal.findings.size} findings`
  }

  async #passTime(): Promise<void> {
    while (!this.#isOver) {
      for (const deadline = Date.now() + STEP_MS; !this.#isOver && Date.now() < deadline;) await sleep(100)
      // The database may be away.
      if (!this.#isOver) await this.#stage.passTime(STEP_SECONDS).catch(() => undefined)
    }
  }
}
