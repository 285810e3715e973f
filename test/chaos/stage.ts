import { execFile } from 'node:child_process'
import { join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { ProgrammableUpstream, Random } from '#test'
import { Api, type Credential } from './clients/api.ts'
import { ALL_STORIES, Player, type Client, type Story } from './clients/client.ts'
import { FailpointPlan } from './clients/failpoints.ts'
import { Model } from './clients/model.ts'
import { openPerson, sessionOf, type Person } from './clients/person.ts'
import type { Journal } from './journal.ts'
import { DatabaseLine } from './line.ts'
import { Postgres, withClient } from './postgres.ts'
import { Servers, type Ending } from './servers.ts'

const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' }

interface Parts {
  folder: string
  postgres: Postgres
  line: DatabaseLine
  upstream: ProgrammableUpstream
  journal: Journal
  seed: number
}

/** All that takes part in a run: PostgreSQL, the line to it, servers, a model provider, and clients. */
export class Stage {
  readonly postgres: Postgres
  readonly line: DatabaseLine
  readonly journal: Journal
  readonly plan: FailpointPlan
  readonly api: Api
  readonly model = new Model()
  readonly folder: string
  players: Player[] = []
  readonly #upstream: ProgrammableUpstream
  readonly #seed: number
  #servers: Servers | undefined
  #operator: Credential | undefined

  private constructor({ folder, postgres, line, upstream, journal, seed }: Parts) {
    this.folder = folder
    this.postgres = postgres
    this.line = line
    this.journal = journal
    this.#upstream = upstream
    this.#seed = seed
    this.plan = new FailpointPlan(journal)
    const ready = () => this.#servers?.ready ?? []
    const failures = () => this.#servers?.failures ?? ''
    this.api = new Api({ journal, plan: this.plan, ready, failures }, seed)
  }

  static async open(
    of: Pick<Parts, 'folder' | 'journal' | 'seed'> & {
      servers: number
      clients: number
      stories?: readonly Story[]
    },
  ): Promise<Stage> {
    const postgres = await Postgres.create(of.folder)
    const line = await DatabaseLine.open(postgres.port)
    const upstream = await ProgrammableUpstream.open()
    const stage = new Stage({ ...of, postgres, line, upstream })
    await stage.#startServers(of.servers)
    await stage.#openClients(of.clients, of.stories ?? ALL_STORIES)
    return stage
  }

  get servers(): Servers {
    if (!this.#servers) throw new Error('no server was started')
    return this.#servers
  }

  async #startServers(count: number): Promise<void> {
    // The provider need not remember what it was asked.
    this.#upstream.decide = () => void (this.#upstream.requests.length = 0)
    const env = {
      ...this.#upstream.settings('openai'),
      DATABASE_URL: this.postgres.url(this.line.port),
      SVC_DATA_DIR: join(this.folder, 'data'),
      ADMIN_EMAIL: ADMIN.email,
      ADMIN_PASSWORD: ADMIN.password,
      PUBLIC_URL: 'http://127.0.0.1:9',
      PAYOUT_HOLD_MINUTES: '5',
    }
    this.#servers = await Servers.start(count, env, {
      onEnd: (how, words) => this.#onEnd(how, words),
      onReady: ms => this.journal.recoveries.push(ms),
      onFailedStart: words => {
        this.journal.hasFailedStart = true
        this.journal.find(`a server does not start: ${words}`)
      },
    })
    this.journal.recoveries.length = 0
    this.#operator = await sessionOf(this.api, ADMIN)
  }

  #onEnd(how: Ending, words: string): void {
    this.journal.noteFault()
    if (how === 'failpoint') this.plan.reached()
    if (how === 'unexpected') this.journal.find(`a server ended by itself: ${words}`)
    else
      this.journal.count(how === 'kill' ? 'kills of a server at random' : 'kills of a server at failpoints')
  }

  async #openClients(count: number, stories: readonly Story[]): Promise<void> {
    const { api, model, journal } = this
    const people: Person[] = []
    for (let at = 0; at < count; at += 8)
      people.push(
        ...(await Promise.all(Array.from({ length: Math.min(8, count - at) }, () => openPerson(api, model)))),
      )
    const operator = this.operator
    this.players = people.map((me, index) => {
      const random = new Random(this.#seed * 1000 + index)
      const others = people.filter(each => each !== me)
      const client: Client = { api, model, random, journal, me, operator, other: () => random.pick(others) }
      return new Player(client, stories)
    })
  }

  get operator(): Credential {
    if (!this.#operator) throw new Error('the operator has not signed in')
    return this.#operator
  }

  /** A request of the operator, until it is answered. */
  async operate<Body>(operation: string, body?: object): Promise<Body> {
    const method = body ? 'POST' : 'GET'
    const request = { method, operation, credential: this.operator, ...(body ? { body } : {}) }
    return (await this.api.send<Body>(request)).body
  }

  /**
   * Moves business time ahead for all servers, which notice it within a second. The operation of the sandbox would wait for
   * everything that falls due, and that takes minutes while all clients work.
   */
  async passTime(seconds: number): Promise<void> {
    const move = 'update platform_clock set offset_ms = offset_ms + $1'
    await withClient(this.postgres.url(), client => client.query(move, [seconds * 1000]))
  }

  /** Starts PostgreSQL if it has ended. */
  async restartPostgres(): Promise<void> {
    const started = Date.now()
    await this.postgres.start()
    this.journal.longestStartMs = Math.max(this.journal.longestStartMs, Date.now() - started)
  }

  /** All servers and the database are there, and no fault is left. */
  async recover(): Promise<void> {
    await this.restartPostgres()
    while (!this.servers.allAreReady && !this.journal.hasFailedStart) await sleep(50)
  }

  /**
   * Runs `work` while no client begins anything new; `work` gets how many still wait for an answer after `idleMs`. At the last
   * rest they do not go on.
   */
  async rest(idleMs: number, isLast: boolean, work: (waiting: number) => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    for (const player of this.players) player.pause(promise)
    await this.recover()
    await this.operate('/sandbox/processor/faults', { kind: 'not_reached', count: 0 })
    const deadline = Date.now() + idleMs
    while (!this.players.every(player => player.isIdle) && Date.now() < deadline) await sleep(50)
    await work(this.players.filter(player => !player.isIdle).length)
    if (isLast) for (const player of this.players) void player.stop()
    resolve()
  }

  /** The output of a command of the service on the database; null if it succeeded. */
  svc(...words: string[]): Promise<string | null> {
    const env = {
      PATH: process.env.PATH,
      DATABASE_URL: this.postgres.url(),
      SVC_DATA_DIR: join(this.folder, 'data'),
    }
    return new Promise(resolve => {
      execFile('bin/svc', words, { env }, (error, stdout, stderr) => resolve(error ? stdout + stderr : null))
    })
  }

  async close(): Promise<void> {
    await this.#servers?.stop()
    this.line.close()
    await this.#upstream.close()
    await this.postgres.end('SIGQUIT')
  }
}
