import { newId } from '../../../server/platform/kernel/id.ts'
import { signatureHeader } from '../../../server/modules/payments/processors/signature.ts'
import { webhookSecrets } from '../../../server/modules/payments/processor.ts'
import { registerHuman, type Person } from './people.ts'
import type { Answer, TestService } from '../service/service.ts'

/** Event of the card processor. */
export const processorEvent = (type: string, object: object, id = `evt_${newId()}`) => ({
  id,
  type,
  object: 'event',
  created: 1,
  livemode: false,
  data: { object },
})

interface EventOfPayment {
  type: string
  data: {
    object: {
      id?: string
      payment_intent?: string
      payment_status?: string
      amount_received?: number
      amount_total?: number
      currency?: string
      metadata?: { paymentId?: string }
      balance_transaction?: object
      last_payment_error?: object
    }
  }
}

/** Makes an event true: the simulated processor has the payment that it reports. */
export async function makeTrue(service: TestService, event: unknown): Promise<void> {
  const { type, data } = (event ?? {}) as Partial<EventOfPayment>
  const { id = '', payment_intent, payment_status, metadata, ...object } = data?.object ?? {}
  const paymentId = metadata?.paymentId ?? ''
  const isPaid = /succeeded$|completed$/.test(type ?? '') && payment_status !== 'unpaid'
  if (!/^[0-9a-f-]{36}$/.test(paymentId) || !(isPaid || object.last_payment_error)) return
  const ofPage = `pi_${paymentId}`
  const processorId = id.startsWith('pi_') ? id : (payment_intent ?? ofPage)
  const { amount_received = object.amount_total, currency = 'usd', balance_transaction } = object
  const result = isPaid
    ? { amount_received, balance_transaction }
    : { last_payment_error: object.last_payment_error }
  const status = isPaid ? 'succeeded' : 'requires_payment_method'
  const body = JSON.stringify({ id: processorId, status, currency, metadata, ...result })
  const { pool } = service.services.db
  // Without a conflict target: of two equal rows at once, either unique key can be the one that refuses.
  await pool.query(
    `insert into platform_processor_object (id, kind, idempotency_key, status, body, created_at)
    values ($1, 'payment_intent', $2, $3, $4, now()) on conflict do nothing`,
    [processorId, processorId === ofPage ? paymentId : `${paymentId}/${processorId}`, status, body],
  )
  if (isPaid)
    await pool.query('update platform_processor_object set status = $2, body = $3 where id = $1', [
      processorId,
      status,
      body,
    ])
}

/** Sends one event that is true, signed as the processor does. */
export async function notifyOf(
  service: TestService,
  event: object,
): Promise<Answer<{ outcome: string; message: string }>> {
  await makeTrue(service, event)
  return sendEvent(service, event)
}

/** Sends one event, whatever the processor has, signed as the processor does. */
export async function sendEvent(
  service: TestService,
  event: object,
): Promise<Answer<{ outcome: string; message: string }>> {
  const body = JSON.stringify(event)
  const [secret = ''] = await webhookSecrets(service.services)
  return service.http('POST', '/webhooks/payment-processor/payment-intent', {
    body,
    headers: { 'payment-processor-signature': signatureHeader(body, secret, new Date()) },
  })
}

/** A hosted page that waits for its payment, and the objects that would confirm or end it. */
export async function pendingPage(service: TestService, amount: number, person?: Person) {
  const payer = person ?? (await registerHuman(service))
  const { body } = await service.http<{ transaction: { reference: { paymentId: string } } }>(
    'POST',
    `/wallets/${payer.walletId}/fund`,
    { token: payer.token, body: { amount, rail: 'checkout' } },
  )
  const metadata = { paymentId: body.transaction.reference.paymentId }
  const common = { currency: 'usd', metadata, balance_transaction: { fee: 59 } }
  return {
    payer,
    intent: { id: `pi_${metadata.paymentId}`, amount_received: amount * 100, status: 'succeeded', ...common },
    session: { id: `cs_${newId()}`, amount_total: amount * 100, payment_status: 'paid', ...common },
  }
}

/** Takes in `cents` for a payment of 20 dollars, which wait in suspense. Returns the id of the money at the processor. */
export async function suspendMoney(service: TestService, payer: Person, cents: number): Promise<string> {
  const { intent } = await pendingPage(service, 20, payer)
  const event = processorEvent('payment_intent.succeeded', { ...intent, amount_received: cents })
  const { status, text, body } = await notifyOf(service, event)
  if (body.outcome !== 'suspense') throw new Error(`cannot suspend: ${status} ${text}`)
  return intent.id
}

/** What a person can spend from the default wallet. */
export const availableOf = async (service: TestService, person: Person): Promise<string> =>
  (await service.http<{ available: string }>('GET', `/wallets/${person.walletId}`, { token: person.token }))
    .body.available

interface Disputed {
  admin: string
  payer: Person
  amount: number
  /** Runs when the payment is made and not disputed yet. */
  before?: () => Promise<void>
}

/** A card payment into the wallet of a person, disputed at the sandbox processor. */
export async function disputedFunding(
  service: TestService,
  { admin, payer, amount, before }: Disputed,
): Promise<{ paymentId: string; processorId: string; disputeId: string; chargebackId: string }> {
  const paymentId = await fundingBy(service, payer, amount)
  await before?.()
  const processorId = await processorIdOf(service, paymentId)
  const disputeId = await openDispute(service, admin, processorId)
  const { rows } = await service.services.db.pool.query<{ id: string }>(
    'select id from payments_chargeback where dispute_id = $1',
    [disputeId],
  )
  return { paymentId, processorId, disputeId, chargebackId: rows[0]?.id ?? '' }
}

/** Funds a wallet by card and returns the id of the payment. */
export async function fundingBy(service: TestService, payer: Person, amount: number): Promise<string> {
  const { status, text, body } = await service.http<{ transaction: { reference: { paymentId: string } } }>(
    'POST',
    `/wallets/${payer.walletId}/fund`,
    { token: payer.token, body: { amount, paymentMethodId: 'pm_card_visa' } },
  )
  if (status !== 201) throw new Error(`cannot fund: ${status} ${text}`)
  return body.transaction.reference.paymentId
}

/** The id that a payment has at the processor. */
export async function processorIdOf({ services }: TestService, paymentId: string): Promise<string> {
  const { rows } = await services.db.pool.query<{ processorId: string }>(
    'select processor_id as "processorId" from payments_intent where id = $1',
    [paymentId],
  )
  return rows[0]?.processorId ?? ''
}

/** Lets the bank take a payment back, and returns the id of the dispute when its event was sent once. */
export async function openDispute(service: TestService, admin: string, processorId: string): Promise<string> {
  const { status, text, body } = await service.http<{ id: string }>('POST', '/sandbox/processor/disputes', {
    token: admin,
    body: { paymentIntentId: processorId },
  })
  if (status !== 201) throw new Error(`cannot dispute: ${status} ${text}`)
  return body.id
}

/** Lets the bank decide a dispute. */
export async function closeDispute(
  service: TestService,
  admin: string,
  { disputeId, won }: { disputeId: string; won: boolean },
): Promise<void> {
  const path = `/sandbox/processor/disputes/${disputeId}/close`
  const { status, text } = await service.http('POST', path, { token: admin, body: { won } })
  if (status !== 200) throw new Error(`cannot close the dispute: ${status} ${text}`)
}
