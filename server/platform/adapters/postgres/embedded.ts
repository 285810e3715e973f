import { archiveSettings, openArchive } from './archive.ts'
import { findBinaries } from './binaries.ts'
import { ensureCluster, stopPostmaster } from './cluster.ts'
import { Lease, type ServerListener } from './lease.ts'
import type { MaintenanceClient } from './maintenance.ts'
import { findPlace, type Place } from './place.ts'
import {
  DATABASE,
  ensureDatabase,
  needsPasswords,
  openPasswords,
  type Passwords,
  PORT,
  secureCluster,
  SERVICE_ROLE,
  SUPERUSER,
} from './roles.ts'

const PREPARE_LOCK = 727_014

export interface EmbeddedPostgres {
  /** Connection string of the database `svc` for the role that owns it, over a Unix socket that only its owner can reach. */
  url: string
  /** Connection string of the superuser, to the database `postgres`: for tests and maintenance. */
  adminUrl: string
  /** Folder of the cluster. */
  directory: string
  /** Callbacks for a failure of the server after its start, and for its recovery. */
  watch(listener: ServerListener): void
  /** Gives it back. The last user stops the server; a command stops it only if it started it. */
  stop(): Promise<void>
}

export interface EmbeddedOptions {
  /** Absolute path of the data folder. */
  dataDir: string
  /** Absolute path of a folder that the server archives its write-ahead log to. */
  archive?: string
  log?: (message: string) => void
  /** For a command beside the service: see LeaseOptions. */
  command?: boolean
  /** Called when the server was spawned, some time before it is ready; not if it runs already. */
  onSpawn?: () => void
}

/**
 * The PostgreSQL 18 that npm brought, with its data under `dataDir`. Made on the first start; used as it is when another
 * process of the same checkout runs it, or when a killed one left it running. Each user holds a lease (see docs/adr/0004).
 */
export async function startEmbeddedPostgres({
  dataDir,
  archive,
  log = () => undefined,
  command = false,
  onSpawn = () => undefined,
}: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const found = await findPlace(dataDir, await findBinaries(), log)
  if (archive) await openArchive(archive, found.runAs)
  const place = archive ? { ...found, settings: archiveSettings(archive) } : found
  const passwords = await openPasswords(place)
  // Port and TLS are named although they are the defaults: PGPORT and PGSSLMODE would change them.
  const urlOf = (role: keyof Passwords, database: string) =>
    `postgres://${role}:${passwords[role]}@localhost:${PORT}/${database}?host=${encodeURIComponent(place.socketDirectory)}&sslmode=disable`
  const maintenance = (database: string) => urlOf(SUPERUSER, database)
  await ensureCluster(place, passwords, log)
  const lease = await Lease.take(place, maintenance('postgres'), { log, command, onSpawn })
  // An older version that runs the server has no password: a command beside it must not ask it for one.
  const joinsOlderVersion = command && !lease.started && !(await needsPasswords(place))
  if (!joinsOlderVersion) await prepare(place, lease.connection, { urlOf: maintenance, passwords })
  let stopped: Promise<void> | undefined
  const stop = async () => {
    if (await lease.release()) await stopPostmaster(place)
    await lease.close()
  }
  return {
    url: urlOf(joinsOlderVersion ? SUPERUSER : SERVICE_ROLE, DATABASE),
    adminUrl: maintenance('postgres'),
    directory: place.directory,
    watch: listener => {
      lease.listener = listener
    },
    stop: () => (stopped ??= stop()),
  }
}

async function prepare(
  place: Place,
  connection: MaintenanceClient,
  { urlOf, passwords }: { urlOf: (database: string) => string; passwords: Passwords },
): Promise<void> {
  // Starts at the same time take turns: PostgreSQL refuses to change one role in two transactions at once.
  await connection.query('select pg_advisory_lock($1)', [PREPARE_LOCK])
  await ensureDatabase(connection, passwords)
  if (!(await needsPasswords(place))) await secureCluster(place, urlOf, passwords)
  await connection.query('select pg_advisory_unlock($1)', [PREPARE_LOCK])
}
