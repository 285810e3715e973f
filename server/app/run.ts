import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { createServer, type AddressInfo } from 'node:net'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError, dataDirOf, readConfig, type Config } from '#platform/kernel/config'
import { misspelledSettings } from '#platform/kernel/settings/misspelled'
import { isLoopback } from '#platform/adapters/egress/loopback'
import { describeDatabaseError } from '#platform/kernel/database/database-error'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#platform/adapters/postgres/embedded'
import { textOf } from '#platform/kernel/unknown'
import { demoCommand } from './demo-command.ts'
import type { RunningService } from './service.ts'

/** Exit status for a configuration that cannot work (sysexits EX_CONFIG). */
const EX_CONFIG = 78
const GONE_STOP_MS = 3000
const QUIET_AFTER_START_MS = 3000
/** How long a start that is under way at a signal may take to its end, where it can be stopped cleanly. */
const INTERRUPTED_START_MS = 5000

type Database = Pick<EmbeddedPostgres, 'url' | 'watch' | 'stop'>

/** The life of the process: configuration, database, service, wait for a signal, stop cleanly. */
export async function run(env: NodeJS.ProcessEnv): Promise<void> {
  const started = performance.now()
  const signal = stopSignal()
  const given = configOrExit(env)
  const config = await withPort(given).catch((error: Error) =>
    fail('The service does not start', inPlainWords(error, given)),
  )
  const { promise: spawned, resolve: onSpawn } = Promise.withResolvers<void>()
  const opening = openDatabase(config, onSpawn).catch((error: Error) =>
    signal.received ? end(0) : fail('The database does not start', error),
  )
  // The rest of the program is loaded while PostgreSQL starts. To load it takes the processor: the spawn comes first.
  await Promise.race([spawned, opening])
  const [database, { startService }] = await Promise.all([opening, loadProgram()])
  if (signal.received) return endStart(database)
  const starting = startService(config, database.url).catch(async (error: Error) => {
    await database.stop()
    return signal.received ? end(0) : fail('The service does not start', inPlainWords(error, config))
  })
  const service = await Promise.race([starting, signal.promise.then(() => sleep(INTERRUPTED_START_MS))])
  if (!service) return endStart(database)
  const stop = stopOnce(service, database)
  watchDatabase(service, database)
  process.on('uncaughtException', error => {
    service.services.log.fatal({ err: error }, 'uncaught')
    // An error for a supervisor that starts again what failed.
    stop(1)
  })
  if (signal.received) return stop(0)
  void signal.promise.then(() => service.leave()).then(() => stop(0))
  await greet(config, service, Math.round(performance.now() - started))
  void service.services.verifier.prepare()
  // The next start reads the compiled code (NODE_COMPILE_CACHE), also if this process is killed.
  flushCompileCache()
  setTimeout(returnMemoryOfStart, QUIET_AFTER_START_MS).unref()
}

interface StopSignal {
  received: boolean
  promise: Promise<void>
}

/** Listens from the first moment on: a process that a signal ends at once leaves the PostgreSQL running that it has started. */
function stopSignal(): StopSignal {
  const { promise, resolve } = Promise.withResolvers<void>()
  const signal: StopSignal = { received: false, promise }
  const receive = () => {
    signal.received = true
    resolve()
  }
  process.on('SIGTERM', receive).on('SIGINT', receive)
  return signal
}

/** A migration that is under way then is rolled back. */
async function endStart(database: Database): Promise<void> {
  await database.stop()
  end(0)
}

/**
 * The start leaves a third of the heap free in pieces. A collection that compacts it returns 25 MB to the system, in a pause
 * of 0.1 to 0.3 s. Without --expose-gc there is none.
 */
function returnMemoryOfStart(): void {
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

async function loadProgram(): Promise<typeof import('./service.ts')> {
  const service = await import('./service.ts')
  await service.loadModules()
  return service
}

function configOrExit(env: NodeJS.ProcessEnv): Config {
  for (const line of misspelledSettings(env)) process.stderr.write(`WARNING: ${line}\n`)
  try {
    return readConfig(env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\nEvery setting is explained by: npm run svc config\n`)
    return process.exit(EX_CONFIG)
  }
}

/**
 * Fails before anything is made if the service could not listen. PORT=0: a port that is free now, known before the start,
 * because links carry it.
 */
async function withPort(config: Config): Promise<Config> {
  // A client that is early sees what it sees while nothing listens: its connection fails.
  const server = createServer(socket => socket.destroy()).listen(config.PORT, config.HOST)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(resolve => {
    server.close(resolve)
  })
  return { ...config, PORT: port }
}

async function openDatabase(config: Config, onSpawn: () => void): Promise<Database> {
  if (config.DATABASE_URL)
    return { url: config.DATABASE_URL, watch: () => undefined, stop: async () => undefined }
  return startEmbeddedPostgres({
    dataDir: dataDirOf(config),
    archive: config.SVC_WAL_ARCHIVE,
    log: message => process.stderr.write(`${message}\n`),
    onSpawn,
  })
}

const LOOKUP_FAILED = new Set(['ENOTFOUND', 'EAI_AGAIN'])

/** The start errors that an operator can end: what to do comes before the system's own text. */
function inPlainWords(error: Error, config: Config): Error {
  const { HOST, PORT } = config
  const code = textOf(error, 'code')
  if (code === 'EADDRINUSE')
    return new Error(
      `port ${PORT} on ${HOST} is in use. Stop the program that uses it, or set PORT to another one (PORT=0 takes a free one)`,
    )
  if (code === 'EACCES')
    return new Error(
      `this user may not listen on port ${PORT}. Set PORT to 1024 or above, or put a reverse proxy in front`,
    )
  if (code === 'EADDRNOTAVAIL' || (LOOKUP_FAILED.has(code) && textOf(error, 'hostname') === HOST))
    return new Error(
      `this machine has no address ${HOST}. Set HOST to one of its addresses, 127.0.0.1 or 0.0.0.0`,
    )
  return describeDatabaseError(error, config.DATABASE_DIRECT_URL ?? config.DATABASE_URL)
}

function end(status: number): never {
  process.stderr.write('svc has stopped\n')
  return process.exit(status)
}

function fail(what: string, error: Error): never {
  process.stderr.write(`${what}: ${error.message}\n`)
  return process.exit(1)
}

/** A supervisor sees an embedded server that cannot be started again: /healthz fails, then the process ends with an error. */
function watchDatabase(service: RunningService, database: Database): void {
  database.watch({
    onFailure: error => {
      service.services.health.failure = error && 'The embedded PostgreSQL cannot be started again'
    },
    onGone: error => {
      void endWithoutDatabase(service, error)
    },
  })
}

/** Without its database the service cannot stop cleanly; what can be ended is ended first, such as the browser. */
async function endWithoutDatabase(service: RunningService, error: Error): Promise<void> {
  service.services.log.fatal({ err: error }, 'the database is gone')
  await Promise.race([service.stop(), sleep(GONE_STOP_MS)]).catch(() => undefined)
  fail('The database is gone', error)
}

/** Stops cleanly and ends the process with `status`; only the first call counts. */
function stopOnce(service: RunningService, database: Database): (status: number) => void {
  let stopping = false
  return status => {
    if (stopping) return
    stopping = true
    stopAll(service, database).then(
      () => end(status),
      (error: Error) => fail('The service did not stop cleanly', error),
    )
  }
}

async function stopAll(service: RunningService, database: Database): Promise<void> {
  try {
    await service.stop()
  } finally {
    await database.stop()
  }
}

/** Prints the address to open and the set-up link of the first admin. */
async function greet(config: Config, { services }: RunningService, ms: number): Promise<void> {
  const { firstAdminLink } = await import('#identity')
  const link = await firstAdminLink(services)
  const lines = [
    '',
    `svc is ready after ${ms} ms (${config.SVC_MODE} mode, ${config.DATABASE_URL ? 'PostgreSQL of DATABASE_URL' : 'embedded PostgreSQL'})`,
    `  Open          ${services.publicUrl}`,
    `  Documentation ${services.publicUrl}/docs`,
    link
      ? `  Become admin  ${link}   (works once, for an hour; a restart prints a new link)`
      : `  Admin         exists: sign in at ${services.publicUrl}/login`,
    config.sandbox
      ? `  Try it        ${demoCommand(config)}   (runs a complete deal against this server)`
      : '',
    '',
  ]
  if (config.sandbox && !isLoopback(config.HOST) && config.HOST !== 'localhost') {
    process.stderr.write(
      `\nWARNING: sandbox mode listens on ${config.HOST}: everybody who reaches this address can use it, with simulated money. Use HOST=127.0.0.1, or production mode.\n`,
    )
  }
  process.stderr.write(lines.filter((line, index) => line !== '' || index === 0).join('\n') + '\n\n')
}
