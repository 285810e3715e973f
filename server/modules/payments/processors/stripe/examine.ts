import { randomUUID } from 'node:crypto'
import { SECOND } from '#platform/kernel/clock'
import { asError } from '#platform/kernel/unknown'
import { NoAnswer, WEBHOOK_PREFIX } from '../port.ts'
import { signatureHeader } from '../signature.ts'
import { items, type StripeClient } from './client.ts'

/** What an examination found: what is right, and what an operator has to change. */
export interface Examination {
  right: string[]
  findings: string[]
}

/** The events without which payments, payouts or chargebacks are noticed late. */
const NEEDED = [
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'checkout.session.completed',
  'checkout.session.expired',
  'charge.refunded',
  'charge.dispute.created',
  'charge.dispute.closed',
  'refund.failed',
  'account.updated',
  'payout.paid',
  'payout.failed',
]
/** A signature counts for 300 s: a clock that is a tenth of it off needs attention. */
const CLOCK_SECONDS = 30
const TIMEOUT_MS = 10 * SECOND

export interface Going {
  publicUrl: string
  secrets: readonly string[]
  isProduction: boolean
  now(): Date
}

/** Checks the key, the clock and the webhooks of a service that uses Stripe. Books nothing. */
export async function examineStripe(client: StripeClient, service: Going): Promise<Examination> {
  const found: Examination = { right: [], findings: [] }
  if (!(await examineKey(client, service, found))) return found
  await examineEndpoints(client, service, found)
  for (const [index, secret] of service.secrets.entries())
    await examineWebhook(service, { secret, number: index + 1 }, found)
  return found
}

async function examineKey(client: StripeClient, service: Going, found: Examination): Promise<boolean> {
  try {
    const { livemode, available, lastResponse } = await client.ask(stripe => stripe.balance.retrieve())
    if (!Array.isArray(available)) throw new NoAnswer('the response is not from Stripe')
    if (livemode === service.isProduction)
      found.right.push(`STRIPE_SECRET_KEY is accepted (${modeOf(livemode)})`)
    else found.findings.push(`STRIPE_SECRET_KEY belongs to the ${modeOf(livemode)} of Stripe`)
    if (!available.some(({ currency }) => currency === 'usd'))
      found.findings.push('the Stripe account has no balance in USD: it must settle in USD')
    examineClock(new Date(lastResponse.headers.date ?? ''), service.now(), found)
    return true
  } catch (error) {
    found.findings.push(`Stripe at ${client.settings.apiUrl} cannot be used: ${reasonOf(asError(error))}`)
    return false
  }
}

/** The SDK says of a connection only that it failed, and has the error of the network beside it. */
function reasonOf({ message, cause }: Error): string {
  const detail = cause instanceof Error && 'detail' in cause ? cause.detail : undefined
  return detail instanceof Error ? `${message} (${detail.message})` : message
}

const modeOf = (livemode: boolean): string => (livemode ? 'live mode' : 'test mode')

function examineClock(theirs: Date, ours: Date, found: Examination): void {
  const seconds = Math.round((ours.getTime() - theirs.getTime()) / SECOND)
  if (Number.isNaN(seconds)) return
  if (Math.abs(seconds) <= CLOCK_SECONDS) found.right.push('the clock agrees with that of Stripe')
  else
    found.findings.push(
      `the clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of Stripe: signatures count for 300 s only, so synchronize it (NTP)`,
    )
}

async function examineEndpoints(
  client: StripeClient,
  { publicUrl }: Going,
  found: Examination,
): Promise<void> {
  try {
    const all = await client.ask(async stripe => items(await stripe.webhookEndpoints.list({ limit: 100 })))
    const ours = all.filter(({ url }) => url.startsWith(publicUrl + WEBHOOK_PREFIX))
    if (!ours.length)
      found.findings.push(`Stripe has no webhook endpoint at ${publicUrl}${WEBHOOK_PREFIX}/...`)
    for (const { url } of ours.filter(({ status }) => status !== 'enabled'))
      found.findings.push(`the webhook endpoint ${url} is disabled at Stripe`)
    const events = ours.flatMap(({ enabled_events }) => enabled_events)
    const missing = events.includes('*') ? [] : NEEDED.filter(event => !events.includes(event))
    if (ours.length && missing.length)
      found.findings.push(`no webhook endpoint at Stripe has these events selected: ${missing.join(', ')}`)
    if (ours.length && !missing.length) found.right.push('the webhook endpoints at Stripe have all events')
  } catch (error) {
    found.findings.push(
      `the webhook endpoints at Stripe cannot be read (a restricted key needs that right): ${asError(error).message}`,
    )
  }
}

/** Sends an event of our own, which the running service only records. */
async function examineWebhook(
  { publicUrl, now }: Going,
  { secret, number }: { secret: string; number: number },
  found: Examination,
): Promise<void> {
  const url = `${publicUrl}${WEBHOOK_PREFIX}/payment-intent`
  const body = JSON.stringify({ id: `evt_doctor_${randomUUID()}`, type: 'svc.doctor', data: { object: {} } })
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'stripe-signature': signatureHeader(body, secret, now()),
      },
    })
    await response.body?.cancel()
    if (response.ok) found.right.push(`${url} accepts events signed with secret ${number}`)
    else
      found.findings.push(
        `${url} responds with ${response.status} to an event signed with secret ${number} of STRIPE_WEBHOOK_SECRET`,
      )
  } catch (error) {
    found.findings.push(
      `${url} cannot be reached from here: ${asError(error).message}. Is the service running?`,
    )
  }
}
