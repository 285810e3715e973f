import { DAY, HOUR } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import { randomToken } from '#platform/kernel/id'
import { PROCESSOR } from '../errors.ts'
import type { PayoutOrder, PayoutReport, Payouts } from '../payout-port.ts'
import { bankOf } from './banks.ts'
import type { PayoutBody } from './objects.ts'
import { dropTasks, insertObject, lockObject, objectByKey, updateObject } from './sql.ts'
import type { Emit, Wire } from './wire.ts'

/** How long a payout is pending, then in transit, and when the bank returns it after that. Business time. */
const LEAVES_MS = HOUR
const ARRIVES_MS = DAY
const RETURNS_MS = 2 * DAY

export const sandboxPayouts = (wire: Wire): Payouts => ({
  send: order =>
    wire.change(async (tx, emit) => {
      const { body: account } = await wire.lock(tx, 'account', order.accountId)
      const sent = await tx.maybe(objectByKey('payout', order.id))
      if (sent) return reportOf(sent.body)
      if (!account.payouts_enabled)
        throw apiError(PROCESSOR.PROCESSOR_REFUSED, {
          hint: `payouts are not enabled for ${account.id}: complete its onboarding`,
        })
      return reportOf(await send(wire, tx, { order, emit }))
    }),
  read: (id, accountId) =>
    wire.call(async () => {
      const found = await wire.context.db.maybe(objectByKey('payout', id))
      return found?.body.account === accountId ? reportOf(found.body) : null
    }),
  reverse: (id, accountId) => wire.change((tx, emit) => reverse(wire, tx, { id, accountId, emit })),
  cancel: (id, accountId) =>
    wire.change(async (tx, emit) => {
      const payout = await lockPayout(tx, id, accountId)
      if (payout.status !== 'pending') return reportOf(payout)
      await tx.run(dropTasks(payout.id))
      const canceled = await change(tx, payout.id, { status: 'canceled' })
      await emit(notice('payout.canceled', canceled))
      return reportOf(canceled)
    }),
})

async function send(wire: Wire, tx: Tx, { order, emit }: { order: PayoutOrder; emit: Emit }) {
  const { id: key, cents, accountId, installation, description } = order
  const body: PayoutBody = {
    id: `po_${randomToken(18)}`,
    object: 'payout',
    amount: cents,
    currency: 'usd',
    description,
    status: 'pending',
    failure_code: null,
    failure_message: null,
    account: accountId,
    transfer: `tr_${randomToken(18)}`,
    isReversed: false,
    metadata: { payoutId: key, installation },
  }
  await tx.run(insertObject({ id: body.id, kind: 'payout', key, status: 'pending', body, at: tx.now }))
  await wire.move(tx, { kind: 'transfer', sourceId: body.transfer, ourId: key, cents: -cents, feeCents: 0 })
  await wire.schedule(tx, body.id, { kind: 'payout leaves', ms: LEAVES_MS })
  await emit({ type: 'transfer.created', object: transferObject(body) })
  await emit(notice('payout.created', body))
  return body
}

const transferObject = ({ transfer, amount, account, isReversed, metadata }: PayoutBody) => ({
  id: transfer,
  object: 'transfer',
  amount,
  amount_reversed: isReversed ? amount : 0,
  reversed: isReversed,
  currency: 'usd',
  destination: account,
  transfer_group: metadata.payoutId,
  metadata,
})

const notice = (type: string, body: PayoutBody) => ({ type, object: { ...body }, account: body.account })

async function change(tx: Tx, id: string, body: Partial<PayoutBody>): Promise<PayoutBody> {
  return (await tx.one(updateObject('payout', id, { status: body.status, body }))).body
}

/** ApiError 404 for an unknown order, and for one of another account. */
async function lockPayout(tx: Tx, id: string, accountId: string): Promise<PayoutBody> {
  const found = await tx.maybe(objectByKey('payout', id))
  if (found?.body.account !== accountId)
    throw apiError(PROCESSOR.PROCESSOR_OBJECT_NOT_FOUND, { hint: `there is no payout ${id} of ${accountId}` })
  return (await tx.one(lockObject('payout', found.id))).body
}

interface Reversal {
  id: string
  accountId: string
  emit: Emit
}

async function reverse(wire: Wire, tx: Tx, { id, accountId, emit }: Reversal): Promise<void> {
  const payout = await lockPayout(tx, id, accountId)
  if (payout.isReversed) return
  if (payout.status !== 'failed' && payout.status !== 'canceled')
    throw apiError(PROCESSOR.PROCESSOR_STATE_CONFLICT, {
      hint: `the payout is ${payout.status}: only the transfer of a failed or canceled one can be taken back`,
    })
  const reversed = await change(tx, payout.id, { isReversed: true })
  await wire.move(tx, {
    kind: 'transfer_reversal',
    sourceId: payout.transfer,
    ourId: id,
    cents: payout.amount,
    feeCents: 0,
  })
  await emit({ type: 'transfer.reversed', object: transferObject(reversed) })
}

/** Task: the payout is on its way. */
export async function leave(wire: Wire, tx: Tx, payoutId: string): Promise<void> {
  await wire.lock(tx, 'payout', payoutId)
  const body = await change(tx, payoutId, { status: 'in_transit' })
  await wire.schedule(tx, payoutId, { kind: 'payout arrives', ms: ARRIVES_MS })
  await wire.emitter(tx)(notice('payout.updated', body))
}

/** Task: the bank account decides how the payout ends. */
export async function arrive(wire: Wire, tx: Tx, payoutId: string): Promise<void> {
  const { body } = await wire.lock(tx, 'payout', payoutId)
  const { failure, isReturned } = await bankOfAccount(wire, tx, body.account)
  if (failure && !isReturned) return fail(wire, tx, payoutId)
  const paid = await change(tx, payoutId, { status: 'paid' })
  if (isReturned) await wire.schedule(tx, payoutId, { kind: 'payout returns', ms: RETURNS_MS })
  await wire.emitter(tx)(notice('payout.paid', paid))
}

/** Task: a payout fails, perhaps after it was paid. */
export async function fail(wire: Wire, tx: Tx, payoutId: string): Promise<void> {
  const { body } = await wire.lock(tx, 'payout', payoutId)
  const { failure } = await bankOfAccount(wire, tx, body.account)
  const failed = await change(tx, payoutId, {
    status: 'failed',
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
  })
  await wire.emitter(tx)(notice('payout.failed', failed))
}

async function bankOfAccount(wire: Wire, tx: Tx, accountId: string) {
  const { body } = await wire.lock(tx, 'account', accountId)
  return bankOf(body.bank ?? '')
}

const reportOf = (body: PayoutBody): PayoutReport => ({
  transferId: body.transfer,
  payoutId: body.id,
  state: body.status,
  failure:
    body.failure_code === null ? null : { code: body.failure_code, message: body.failure_message ?? '' },
})
