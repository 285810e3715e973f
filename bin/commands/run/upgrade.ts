import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import type { BackupCounts } from '#platform/adapters/backup/dump'
import { checkBackup } from '#platform/adapters/backup/load'
import { dataDirOf, readConfig, type Config } from '#platform/kernel/config'
import { migrate, readSchemaState, type SchemaState } from '#platform/kernel/database/migrate'
import { sql } from '#platform/kernel/sql'
import { asError } from '#platform/kernel/unknown'
import { MODULES } from '../../../server/modules/registry.ts'
import { summaryOf, writeTo } from './backup.ts'
import { EXIT, UsageError, type Command, type Given } from '../command.ts'
import { COMMAND_CONNECTION, withDatabase, withServer } from '../database.ts'
import { masterKeyOf } from '../master-key.ts'
import { newPassphrase } from '../passphrase.ts'
import { withProgress, type Progress } from '../progress.ts'
import { findingsIn, printFindings } from '../verification.ts'
import { serviceVersion } from '../version.ts'

/** More names of migrations are in the JSON. */
const SHOWN = 5

export const run: Command['run'] = async (_, given) => {
  const { options } = given
  if (options.has('--backup') && options.has('--no-backup'))
    throw new UsageError('--backup and --no-backup exclude each other')
  const config = readConfig(process.env)
  const isJson = options.has('--json')
  // One server for all steps: each would start and stop the embedded one.
  const { plan, done } = await withServer(config, async url => {
    const plan = await planOf(url, config)
    if (!isJson) printPlan(plan)
    if (!plan.pending.length || !plan.applied || options.has('--check')) return { plan, done: null }
    return { plan, done: await upgradeTo(url, { config, given, plan }) }
  })
  if (isJson) console.log(JSON.stringify({ ...plan, ...done }))
  else if (done) printDone(done)
  if (done) return done.findings.length ? EXIT.failed : EXIT.ok
  return plan.pending.length && plan.applied ? EXIT.failed : EXIT.ok
}

/** Who else uses the database: a service that runs (or starts), another command. */
interface Users {
  isRunning: boolean
  isCommandRunning: boolean
}

type Plan = SchemaState & Users & { version: string }

async function planOf(url: string, config: Config): Promise<Plan> {
  const state = await readSchemaState(url, MODULES)
  return { version: serviceVersion, ...(await otherUsers(config)), ...state }
}

function printPlan({ version, applied, appliedAt, pending, isRunning, isCommandRunning }: Plan): void {
  console.log(`Code: version ${version}, Node ${process.versions.node}`)
  if (!appliedAt) return console.log('Data: none. The first start of the service makes the tables.')
  console.log(`Data: ${applied} migrations, the newest of ${appliedAt.toISOString()}`)
  if (!pending.length) return console.log('The data has this version: nothing to do.')
  const names = [...pending.slice(0, SHOWN), ...(pending.length > SHOWN ? ['...'] : [])].join(', ')
  console.log(`${pending.length} migrations are waiting: ${names}`)
  if (isRunning) console.log('The service uses the database: stop all its instances before the upgrade.')
  if (isCommandRunning) console.log('Another svc command uses the database: wait for its end.')
}

interface Assignment {
  config: Config
  given: Given
  plan: Plan
}

async function upgradeTo(url: string, { config, given, plan }: Assignment): Promise<Done> {
  if (plan.isRunning)
    throw new Error(
      'the service uses the database: stop all its instances first, because the version that runs does not know the new tables. Nothing was changed.',
    )
  if (plan.isCommandRunning)
    throw new Error(
      'another svc command, such as a backup, uses the database: run "svc upgrade" again when it has ended. Nothing was changed.',
    )
  const backup = given.options.has('--no-backup') ? null : await planBackup(config, given)
  return withProgress(given, progress => backUpAndMigrate(url, { config, backup, progress }))
}

/** Services and commands on the database, which must not see it change. */
async function otherUsers(config: Config): Promise<Users> {
  const found: Users = { isRunning: false, isCommandRunning: false }
  await withDatabase(async db => {
    const rows = await db.rows(sql<{ name: string }>`
      select application_name as name from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()
        and (application_name like 'svc%' or application_name = any(${ownNames(config)}::text[]))`)
    found.isCommandRunning = rows.some(({ name }) => name === COMMAND_CONNECTION)
    found.isRunning = rows.some(({ name }) => name !== COMMAND_CONNECTION)
    return EXIT.ok
  })
  return found
}

/** An application_name in the address of the database replaces that of the service. */
const ownNames = ({ DATABASE_URL = '', DATABASE_DIRECT_URL = '' }: Config): string[] =>
  [DATABASE_URL, DATABASE_DIRECT_URL].flatMap(url =>
    new URLSearchParams(url.split('?')[1]).getAll('application_name'),
  )

interface PlannedBackup {
  file: string
  masterKey: string
  passphrase: string
}

async function planBackup(config: Config, { options }: Given): Promise<PlannedBackup> {
  const time = new Date().toISOString().replaceAll(/[:.]/g, '-')
  const file = resolve(
    options.get('--backup') ?? join(dataDirOf(config), 'backups', `before-${serviceVersion}-${time}.backup`),
  )
  const masterKey = await masterKeyOf(config)
  return { file, masterKey, passphrase: await newPassphrase() }
}

interface Done {
  backup: (BackupCounts & { file: string }) | null
  migrated: string[]
  findings: string[]
}

async function backUpAndMigrate(
  url: string,
  { config, backup: planned, progress }: { config: Config; backup: PlannedBackup | null; progress: Progress },
): Promise<Done> {
  const backup = planned && (await takeBackup(url, planned, progress))
  const migrated = await migrateOrExplain(url, backup?.file ?? null, progress)
  const findings = await findingsIn(await masterKeyOf(config), progress)
  return { backup, migrated, findings }
}

/** Writes it and reads it again: what cannot be restored is no backup. */
async function takeBackup(url: string, plan: PlannedBackup, progress: Progress): Promise<Done['backup']> {
  const { file, passphrase } = plan
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const counts = await writeTo({ url, ...plan }, progress)
    await checkBackup(file, passphrase, MODULES, share => progress.show('Reading the backup again', share))
    return { file, ...counts }
  } catch (error) {
    throw new Error(`the backup failed, and nothing was changed: ${asError(error).message}`, { cause: error })
  }
}

async function migrateOrExplain(url: string, file: string | null, progress: Progress): Promise<string[]> {
  try {
    return await migrate(url, MODULES, ({ name, share }) => progress.show(`Migrating: ${name}`, share))
  } catch (error) {
    const { pending } = await readSchemaState(url, MODULES)
    throw new Error(
      `${asError(error).message}\nThis migration changed nothing; ${pending.length} are waiting, those before it are applied. Start no version of the service. Remove the cause and run "svc upgrade" again, or go back: ${wayBack(file)}`,
      { cause: error },
    )
  }
}

const wayBack = (file: string | null): string =>
  `install the old version and restore ${file ?? 'your backup'} with it, into an empty data folder or database ("svc restore").`

function printDone({ backup, migrated, findings }: Done): void {
  if (backup) console.log(`Backup: ${backup.file} (${summaryOf(backup)})`)
  console.log(`${migrated.length} migrations were applied.`)
  printFindings(findings)
  console.log(
    findings.length
      ? `Start no version of the service: the data has the findings above. Find their cause, or go back: ${wayBack(backup?.file ?? null)}`
      : 'The upgrade is complete: start the service.',
  )
}
