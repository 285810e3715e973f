import { randomBytes, randomUUID } from 'node:crypto'
import { chown, link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { MaintenanceClient } from './maintenance.ts'
import { isRunning, pidOf } from './pid.ts'
import type { Place } from './place.ts'

/** The superuser of the cluster: for maintenance, never for statements of the service. */
export const SUPERUSER = 'svc'
/** The role of the service. It owns the database `svc`, and has no other right. */
export const SERVICE_ROLE = 'svc_app'
export const DATABASE = 'svc'
/** Part of the socket's file name. */
export const PORT = 5432

export type Passwords = Record<typeof SUPERUSER | typeof SERVICE_ROLE, string>

/** The file beside the cluster that holds the passwords of its roles, in the format that psql reads (PGPASSFILE). */
const passwordFile = ({ directory }: Place): string => join(dirname(directory), 'postgres.pgpass')

/**
 * The passwords of the cluster's roles, made when there is no file with them. A cluster that is there does not know new
 * ones: it accepts connections without a password until `secureCluster` has set them. Of several starts at once, the first
 * one decides.
 */
export async function openPasswords(place: Place): Promise<Passwords> {
  // Before the file is read: the file of a new cluster is there before the cluster, so that without one it was lost.
  const isSecured = await needsPasswords(place)
  const existing = await readPasswords(place)
  if (existing) return existing
  if (isSecured) {
    if (await isRunning(place)) return readOfRunning(place)
    await acceptWithoutPasswords(place)
  }
  await writeNewPasswords(place)
  const passwords = await readPasswords(place)
  if (!passwords) throw new Error(`${passwordFile(place)} was removed during the start: start again.`)
  return passwords
}

/** For a cluster that was copied from elsewhere and has other ones: the next start sets new passwords. */
export const dropPasswords = (place: Place): Promise<void> => rm(passwordFile(place), { force: true })

/** Of a start at the same moment, which has set new ones since. */
async function readOfRunning(place: Place): Promise<Passwords> {
  const passwords = await readPasswords(place)
  if (passwords) return passwords
  throw new Error(
    `The file with the passwords of PostgreSQL in ${place.directory} is missing: stop the service and PostgreSQL (process ${await pidOf(place.directory)}) and start again. The start sets new passwords.`,
  )
}

async function writeNewPasswords(place: Place): Promise<void> {
  const path = passwordFile(place)
  const draft = `${path}.${randomUUID()}`
  const lines = [SUPERUSER, SERVICE_ROLE].map(
    role => `*:${PORT}:*:${role}:${randomBytes(24).toString('base64url')}\n`,
  )
  await writeFile(draft, lines.join(''), { mode: 0o600, flush: true })
  await link(draft, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await rm(draft)
}

async function readPasswords(place: Place): Promise<Passwords | null> {
  const path = passwordFile(place)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  const found = new Map(
    text
      .split('\n')
      .map(line => line.split(':'))
      .map(fields => [fields[3], fields[4]]),
  )
  const [superuser, service] = [found.get(SUPERUSER), found.get(SERVICE_ROLE)]
  if (!superuser || !service)
    throw new Error(
      `${path} is damaged. Stop the service, remove the file and start again: the start sets new passwords.`,
    )
  return { [SUPERUSER]: superuser, [SERVICE_ROLE]: service }
}

const MARK = '# Written by svc: every connection needs a password.'
const rules = (method: string, mark: string): string => `${mark}\nlocal all all ${method}\n`
const rulesFile = (directory: string): string => join(directory, 'pg_hba.conf')

/** Whether each connection to the cluster needs a password; older versions of this program asked for none. */
export const needsPasswords = async ({ directory }: { directory: string }): Promise<boolean> => {
  const text = await readFile(rulesFile(directory), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  return text.startsWith(MARK)
}

export const requirePasswords = ({ directory, runAs }: Place): Promise<void> =>
  writeRules(directory, runAs, rules('scram-sha-256', MARK))

/** Until the next start has set passwords again. The socket's folder keeps all users but its owner out meanwhile. */
export const acceptWithoutPasswords = ({ directory, runAs }: Place): Promise<void> =>
  writeRules(directory, runAs, rules('trust', '# Written by svc.'))

async function writeRules(directory: string, runAs: Place['runAs'], text: string): Promise<void> {
  const draft = `${rulesFile(directory)}.${randomUUID()}`
  await writeFile(draft, text, { mode: 0o600, flush: true })
  if (runAs) await chown(draft, runAs.uid, runAs.gid)
  await rename(draft, rulesFile(directory))
}

/** Makes what is missing: the service's role and its database. The connection is the superuser's. */
export async function ensureDatabase(client: MaintenanceClient, passwords: Passwords): Promise<void> {
  const { rows } = await client.query<{ role: boolean; database: boolean }>(
    `select exists (select from pg_roles where rolname = $1) as role,
      exists (select from pg_database where datname = $2) as database`,
    [SERVICE_ROLE, DATABASE],
  )
  if (!rows[0]?.role)
    await client.query(
      `create role ${SERVICE_ROLE} login password ${pg.escapeLiteral(passwords[SERVICE_ROLE])}`,
    )
  if (!rows[0]?.database) await client.query(`create database ${DATABASE} owner ${SERVICE_ROLE}`)
}

/**
 * Sets the passwords, gives the service's role what the superuser owned in older versions, and then refuses connections
 * without a password.
 */
export async function secureCluster(
  place: Place,
  urlOf: (database: string) => string,
  passwords: Passwords,
): Promise<void> {
  await withClient(urlOf('postgres'), async client => {
    for (const [role, password] of Object.entries(passwords))
      await client.query(`alter role ${role} password ${pg.escapeLiteral(password)}`)
    await client.query(`alter database ${DATABASE} owner to ${SERVICE_ROLE}`)
  })
  await withClient(urlOf(DATABASE), async client => {
    await client.query(GIVE_TO_SERVICE)
    await requirePasswords(place)
    await client.query('select pg_reload_conf()')
  })
}

// REASSIGN OWNED refuses the role that made the cluster.
const GIVE_TO_SERVICE = `do $$ declare command text; begin
  for command in
    select format('alter schema %I owner to ${SERVICE_ROLE}', nspname) from pg_namespace
      where nspowner = '${SUPERUSER}'::regrole and nspname !~ '^pg_' and nspname not in ('public', 'information_schema')
    union all
    select format('alter table %s owner to ${SERVICE_ROLE}', c.oid::regclass) from pg_class c
      where relowner = '${SUPERUSER}'::regrole and relkind in ('r', 'p', 'v', 'm', 'f', 'S') and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
      and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and (d.deptype = 'e' or relkind = 'S' and d.deptype in ('a', 'i')))
    union all
    select format('alter routine %s owner to ${SERVICE_ROLE}', p.oid::regprocedure) from pg_proc p
      where proowner = '${SUPERUSER}'::regrole and pronamespace::regnamespace::text !~ '^(pg_|information_schema)'
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
    union all
    select format('alter type %s owner to ${SERVICE_ROLE}', t.oid::regtype) from pg_type t left join pg_class c on c.oid = typrelid
      where typowner = '${SUPERUSER}'::regrole and typnamespace::regnamespace::text !~ '^(pg_|information_schema)'
      and (typtype in ('e', 'd', 'r') or typtype = 'c' and relkind = 'c')
  loop
    execute command;
  end loop;
end $$`

async function withClient(url: string, work: (client: MaintenanceClient) => Promise<void>): Promise<void> {
  const client = await MaintenanceClient.open(url)
  try {
    await work(client)
  } finally {
    await client.close()
  }
}
