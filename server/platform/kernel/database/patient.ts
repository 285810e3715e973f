import { Db } from '../db.ts'

/** Runs `work` on connections of its own whose statements may take an hour, such as those that read whole tables. */
export async function patiently<T>({ pool, context }: Db, work: (db: Db) => Promise<T>): Promise<T> {
  const db = new Db(pool.patient(), context)
  try {
    return await work(db)
  } finally {
    await db.pool.close()
  }
}
