import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { probeChromium } from '#platform/adapters/browser/probe'
import { probeSmtp } from '#platform/adapters/mail/mail'
import { requireAppendable } from '#platform/kernel/chain/anchor'
import { dataDirOf, readConfig, type Config } from '#platform/kernel/config'
import { readSchemaState } from '#platform/kernel/database/migrate'
import { misspelledSettings } from '#platform/kernel/settings/misspelled'
import { sql } from '#platform/kernel/sql'
import { asError } from '#platform/kernel/unknown'
import { STRIPE_API_URL, StripeClient } from '../../../server/modules/payments/processors/stripe/client.ts'
import {
  examineStripe,
  type Examination,
} from '../../../server/modules/payments/processors/stripe/examine.ts'
import { MODULES } from '../../../server/modules/registry.ts'
import { EXIT, type Command } from '../command.ts'
import { withDatabase, withServer } from '../database.ts'
import { secretsFor } from '../master-key.ts'

const CLOCK_SECONDS = 30

export const run: Command['run'] = async () => {
  const config = readConfig(process.env)
  const { PROCESSOR, STRIPE_SECRET_KEY: secretKey = '', STRIPE_API_URL: apiUrl } = config
  const right = ['the settings are valid']
  const findings = misspelledSettings(process.env)
  const add = (found: Examination) => {
    right.push(...found.right)
    findings.push(...found.findings)
  }
  add(await examineDatabase(config))
  add(await examineAnchorFile(config))
  add(await examineBrowser(config))
  add(await examineMail(config))
  if (PROCESSOR === 'sandbox') right.push('the sandbox processor needs no keys')
  else {
    const publicUrl = config.PUBLIC_URL ?? `http://localhost:${config.PORT}`
    const client = new StripeClient({ secretKey, apiUrl: apiUrl ?? STRIPE_API_URL, publicUrl })
    add(
      await examineStripe(client, {
        publicUrl,
        secrets: config.STRIPE_WEBHOOK_SECRET,
        isProduction: !config.sandbox,
        now: () => new Date(),
      }),
    )
  }
  for (const line of right) console.log(`ok      ${line}`)
  for (const line of findings) console.log(`FINDING ${line}`)
  return findings.length ? 1 : 0
}

/** Without a database the other checks go on: an operator wants all findings at once. */
async function examineDatabase(config: Config): Promise<Examination> {
  const found: Examination = { right: [], findings: [] }
  await withServer(config, async url => {
    await withDatabase(async db => {
      const { now } = await db.one(sql<{ now: Date }>`select clock_timestamp() as now`)
      const seconds = Math.round(Math.abs(now.getTime() - Date.now()) / 1000)
      if (seconds <= CLOCK_SECONDS) found.right.push('the database responds, and its clock agrees')
      else found.findings.push(`the clock of the database differs by ${seconds} s: synchronize both (NTP)`)
      return EXIT.ok
    })
    const { applied } = await readSchemaState(url, MODULES)
    if (!applied) found.findings.push('the database has no tables: start the service once')
    else found.right.push(...(await examineMasterKey(config)))
  }).catch((error: unknown) => found.findings.push(asError(error).message))
  return found
}

/** Throws if the service would not start. A database that no service has started on has no secrets yet. */
async function examineMasterKey(config: Config): Promise<string[]> {
  const right: string[] = []
  await withDatabase(async db => {
    if (!(await db.maybe(sql`select from platform_secret limit 1`))) return EXIT.ok
    await secretsFor(config, db)
    right.push('the master key is that of the database')
    return EXIT.ok
  })
  return right
}

/** The service works without it, and logs the failure once. */
async function examineAnchorFile({ LEDGER_ANCHOR_FILE: path }: Config): Promise<Examination> {
  if (!path) return { right: [], findings: [] }
  try {
    await requireAppendable(path)
    return { right: ['the heads of the chains can be appended to LEDGER_ANCHOR_FILE'], findings: [] }
  } catch (error) {
    const finding = `LEDGER_ANCHOR_FILE cannot be written (${asError(error).message}): nothing outside the database shows whether a chain was cut off. Correct the path, or give the user of the service the file or its folder`
    return { right: [], findings: [finding] }
  }
}

/** A server that cannot be used shows itself nowhere else than in the log: mails wait for a week. */
async function examineMail(config: Config): Promise<Examination> {
  if (!config.SMTP_URL) return { right: ['without SMTP_URL mails are shown at /sandbox/mail'], findings: [] }
  const { host } = new URL(config.SMTP_URL)
  try {
    await probeSmtp(config, config.SMTP_URL)
    return { right: [`the SMTP server ${host} accepts the sign-in`], findings: [] }
  } catch (error) {
    const finding = `the SMTP server ${host} cannot be used (${asError(error).message}): mails wait. Correct SMTP_URL, or look at the server and the network`
    return { right: [], findings: [finding] }
  }
}

/** Starts the browser as the service does; without one a delivered page is not rendered. */
async function examineBrowser(config: Config): Promise<Examination> {
  const { CHROMIUM_PATH: chromiumPath } = config
  try {
    await probeInCache(config)
    return { right: ['Chromium starts with its sandbox and can open deliveries'], findings: [] }
  } catch (error) {
    const { message } = asError(error)
    const remedy = chromiumPath
      ? 'Correct or unset CHROMIUM_PATH'
      : 'Remove the cause, or set CHROMIUM_PATH to a Chromium that starts'
    const finding = `Chromium does not start (${message}): deliveries are checked over HTTP alone. ${remedy}`
    return { right: [], findings: [finding] }
  }
}

/** A data folder that does not exist yet is for the service to make, as its user. */
async function probeInCache(config: Config): Promise<void> {
  const dataDir = dataDirOf(config)
  const isMade = await access(dataDir).then(
    () => true,
    () => false,
  )
  const folder = isMade ? dataDir : await mkdtemp(join(tmpdir(), 'svc-doctor-'))
  const options = { cacheDir: join(folder, 'chromium'), chromiumPath: config.CHROMIUM_PATH }
  try {
    await probeChromium(options, new AbortController().signal)
  } finally {
    if (!isMade) await rm(folder, { recursive: true, force: true })
  }
}
