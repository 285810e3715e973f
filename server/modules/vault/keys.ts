import { randomBytes } from 'node:crypto'
import type { Db, Queryable, Tx } from '#platform/kernel/db'
import { newId } from '#platform/kernel/id'
import type { Secrets } from '#platform/kernel/secrets'
import { unwrapKey, wrapKey } from './cipher.ts'
import * as statements from './sql.ts'
import type { MasterKeyRow } from './sql.ts'

const KEY_BYTES = 32
const BATCH = 100

const contextOf = (id: string): string => `vault/master/${id}`

function newMasterKey(secrets: Secrets): MasterKeyRow {
  const id = newId()
  return { id, sealed: secrets.seal(randomBytes(KEY_BYTES).toString('base64'), contextOf(id)) }
}

const openMasterKey = (secrets: Secrets, { id, sealed }: MasterKeyRow): Buffer =>
  Buffer.from(secrets.open(sealed, contextOf(id)), 'base64')

/** A data key for an artifact: as it is, and wrapped by the current master key. */
export async function newDataKey(tx: Tx, secrets: Secrets, artifactId: string) {
  const master = await currentMasterKey(tx, secrets)
  const key = randomBytes(KEY_BYTES)
  const wrappedKey = wrapKey(openMasterKey(secrets, master), key, artifactId)
  return { key, masterKeyId: master.id, wrappedKey }
}

// None is found before the first one is made, and where a rotation has just retired the one that was waited for.
async function currentMasterKey(tx: Tx, secrets: Secrets): Promise<MasterKeyRow> {
  for (;;) {
    const found = await tx.maybe(statements.currentMasterKey())
    if (found) return found
    await tx.run(statements.insertMasterKey(newMasterKey(secrets), tx.clock.real()))
  }
}

/**
 * The data key of an artifact, undefined if there is none. In one statement: a rotation may wrap the key again and delete
 * the master key between two.
 */
export async function dataKeyOf(q: Queryable, secrets: Secrets, id: string): Promise<Buffer | undefined> {
  const found = await q.maybe(statements.wrappedKeyOf(id))
  return found && unwrapKey(openMasterKey(secrets, found), found.wrappedKey, id)
}

/**
 * Makes a new master key, wraps every data key with it and deletes the old ones. The service may run meanwhile. Returns
 * how many data keys were wrapped again. A run that was cut off is continued by the next one.
 */
export async function rotateMasterKey(db: Db, secrets: Secrets): Promise<number> {
  const current = newMasterKey(secrets)
  await db.transaction(async tx => {
    await tx.run(statements.retireMasterKey(tx.clock.real()))
    await tx.run(statements.insertMasterKey(current, tx.clock.real()))
  })
  let rewrapped = 0
  for (let count = BATCH; count === BATCH; rewrapped += count)
    count = await db.transaction(tx => rewrapSome(tx, secrets))
  await db.run(statements.deleteRetiredKeys())
  return rewrapped
}

async function rewrapSome(tx: Tx, secrets: Secrets): Promise<number> {
  const current = await currentMasterKey(tx, secrets)
  const master = openMasterKey(secrets, current)
  const old = await tx.rows(statements.lockOldArtifacts(BATCH))
  for (const { id } of old) {
    const key = await dataKeyOf(tx, secrets, id)
    if (key) await tx.run(statements.rewrap(id, current.id, wrapKey(master, key, id)))
  }
  return old.length
}
