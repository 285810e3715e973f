import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import process from 'node:process'

/** Who runs PostgreSQL: it refuses to run as root, so root lends it an unprivileged user. Null: the user that we are. */
export interface RunAs {
  uid: number
  gid: number
}

interface Account {
  name: string
  uid: number
}

/** Accounts that other services use too. Older versions of this program gave them the database. */
const SHARED_NAMES = ['nobody', 'postgres']
const FIRST_UID = 65_532
const NOBODY_UID = 65_534

/**
 * The user for the cluster's processes, if we are root: one without an account (65532, or the next lower id that has
 * none), because the processes of a shared account could read and change the data.
 */
export async function databaseUser(): Promise<RunAs | null> {
  if (process.getuid?.() !== 0) return null
  const taken = new Set((await accounts()).map(({ uid }) => uid))
  let uid = FIRST_UID
  while (taken.has(uid)) uid--
  return { uid, gid: uid }
}

/** Whether other services run as this user. */
export async function isSharedUser(uid: number): Promise<boolean> {
  return (
    uid === NOBODY_UID ||
    (await accounts()).some(account => account.uid === uid && SHARED_NAMES.includes(account.name))
  )
}

/**
 * The user for initdb, which refuses a user without an account. Its group is that of the database's user: it works in a
 * folder that only this group can enter, so that other processes of the account cannot touch the files.
 */
export async function initdbUser(runAs: RunAs): Promise<RunAs> {
  const all = await accounts()
  const account =
    all.find(({ uid }) => uid === runAs.uid) ??
    all.find(({ name }) => SHARED_NAMES.includes(name)) ??
    all.find(({ uid }) => uid > 0)
  if (!account)
    throw new Error(
      'initdb of PostgreSQL needs an account in /etc/passwd that is not root: add one (such as nobody), or set DATABASE_URL to a PostgreSQL server.',
    )
  return { uid: account.uid, gid: runAs.gid }
}

/** Whether the user passes a check of test(1), such as `-w` and a folder. */
export const canUse = ({ uid, gid }: RunAs, test: string[]): boolean =>
  spawnSync('test', test, { uid, gid, cwd: '/' }).status === 0

/** Gives a tree to the user. `chown` itself opens folder by folder: a path that changes meanwhile leads nowhere else. */
export function giveTree(folder: string, { uid, gid }: RunAs): void {
  const { status, stderr } = spawnSync('chown', ['-hR', `${uid}:${gid}`, folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The owner of ${folder} cannot be changed: ${stderr.trim()}`)
}

async function accounts(): Promise<Account[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => ''))
    .split('\n')
    .map(line => line.split(':'))
  return lines.flatMap(([name, , uid]) => (name && uid ? [{ name, uid: Number(uid) }] : []))
}
