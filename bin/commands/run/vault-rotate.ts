import process from 'node:process'
import { rotateMasterKey } from '#vault'
import { readConfig } from '#platform/kernel/config'
import type { Command } from '../command.ts'
import { withDatabase } from '../database.ts'
import { secretsFor } from '../master-key.ts'

export const run: Command['run'] = () =>
  withDatabase(async db => {
    const rewrapped = await rotateMasterKey(db, await secretsFor(readConfig(process.env), db))
    console.log(`The vault has a new master key. Keys that were wrapped again: ${rewrapped}.`)
    return 0
  })
