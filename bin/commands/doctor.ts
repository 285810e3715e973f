import process from 'node:process'
import { readConfig } from '#platform/kernel/config'
import { sql } from '#platform/kernel/sql'
import { STRIPE_API_URL, StripeClient } from '../../server/modules/payments/processors/stripe/client.ts'
import { examineStripe, type Examination } from '../../server/modules/payments/processors/stripe/examine.ts'
import type { Command } from './command.ts'
import { withDatabase } from './database.ts'

const CLOCK_SECONDS = 30

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Checks the settings, the database, the clock, and with Stripe its key and webhooks. Exit status 1 if there are findings.',
  async run() {
    const config = readConfig(process.env)
    const { PROCESSOR, STRIPE_SECRET_KEY: secretKey = '', STRIPE_API_URL: apiUrl } = config
    const right = ['the settings are valid']
    const findings: string[] = []
    const add = (found: Examination) => {
      right.push(...found.right)
      findings.push(...found.findings)
    }
    add(await examineDatabase())
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
  },
}

async function examineDatabase(): Promise<Examination> {
  const found: Examination = { right: [], findings: [] }
  await withDatabase(async db => {
    const { now } = await db.one(sql<{ now: Date }>`select clock_timestamp() as now`)
    const seconds = Math.round(Math.abs(now.getTime() - Date.now()) / 1000)
    if (seconds <= CLOCK_SECONDS) found.right.push('the database responds, and its clock agrees')
    else found.findings.push(`the clock of the database differs by ${seconds} s: synchronize both (NTP)`)
    return 0
  })
  return found
}
