import type { Stripe } from 'stripe'
import { ApiError, apiError } from '#platform/kernel/errors'
import { isRecord } from '#platform/kernel/unknown'
import { PROCESSOR } from '../errors.ts'
import type { ConnectedAccounts, PayoutOrder, PayoutReport, Payouts } from '../payout-port.ts'
import { items, object, type StripeClient } from './client.ts'

const CURRENCY = 'usd'

export const stripeAccounts = (client: StripeClient): ConnectedAccounts => ({
  create: ({ id, installation, email, country }) =>
    client.ask(async stripe => {
      const account = await stripe.accounts.create(
        {
          type: 'express',
          ...(email ? { email } : {}),
          ...(country ? { country } : {}),
          capabilities: { transfers: { requested: true } },
          // Each payout is ordered here.
          settings: { payouts: { schedule: { interval: 'manual' } } },
          metadata: { ownerId: id, installation },
        },
        { idempotencyKey: id },
      )
      return { accountId: object(account).id }
    }),
  onboardingLink: (accountId, { returnUrl, refreshUrl }) =>
    client.ask(async stripe => {
      const { url } = await stripe.accountLinks.create({
        account: accountId,
        return_url: returnUrl,
        refresh_url: refreshUrl,
        type: 'account_onboarding',
      })
      return { url }
    }),
  read: accountId =>
    client.ask(async stripe => {
      const account = object(await stripe.accounts.retrieve(accountId))
      const { currently_due, past_due, disabled_reason } = account.requirements ?? {}
      return {
        accountId: account.id,
        isDetailsSubmitted: account.details_submitted,
        isPayoutsEnabled: account.payouts_enabled,
        requirements: [...new Set([...(past_due ?? []), ...(currently_due ?? [])])],
        // While the onboarding is not complete, Stripe names that as the reason too.
        disabledReason: account.details_submitted ? (disabled_reason ?? null) : null,
        bankFingerprints: (account.external_accounts?.data ?? []).flatMap(
          ({ fingerprint }) => fingerprint ?? [],
        ),
      }
    }),
})

/** A transfer carries our id as its group, the payout from the connected account in its metadata. */
interface Sent {
  transfer: Stripe.Transfer
  payout: Stripe.Payout | undefined
}

export const stripePayouts = (client: StripeClient): Payouts => ({
  send: order => client.ask(stripe => send(client, stripe, order)),
  read: (id, accountId) =>
    client.ask(async stripe => {
      const sent = await find(stripe, id, accountId)
      return sent ? reportOf(sent) : null
    }),
  reverse: (id, accountId) =>
    client.ask(async stripe => {
      const sent = await requireSent(stripe, id, accountId)
      const { state } = reportOf(sent)
      if (sent.transfer.reversed) return
      if (state !== 'failed' && state !== 'canceled')
        throw apiError(PROCESSOR.PROCESSOR_STATE_CONFLICT, {
          hint: `the payout is ${state}: only the transfer of a failed or canceled one can be taken back`,
        })
      await stripe.transfers.createReversal(
        sent.transfer.id,
        { metadata: { payoutId: id } },
        { idempotencyKey: `${id}/reversal` },
      )
    }),
  cancel: (id, accountId) =>
    client.ask(async stripe => {
      const sent = await requireSent(stripe, id, accountId)
      if (sent.payout?.status !== 'pending') return reportOf(sent)
      await client
        .ask(() => stripe.payouts.cancel(sent.payout?.id ?? '', {}, { stripeAccount: accountId }))
        // It may have left meanwhile: the state answers.
        .catch((error: unknown) => {
          if (!(error instanceof ApiError)) throw error
        })
      return reportOf(await requireSent(stripe, id, accountId))
    }),
})

async function send(client: StripeClient, stripe: Stripe, order: PayoutOrder): Promise<PayoutReport> {
  const { id, installation, accountId, cents, description } = order
  const metadata = { payoutId: id, installation }
  // Stripe deletes idempotency keys after a day.
  const sent = await find(stripe, id, accountId)
  const transfer =
    sent?.transfer ??
    object(
      await stripe.transfers.create(
        {
          amount: cents,
          currency: CURRENCY,
          destination: accountId,
          transfer_group: id,
          description,
          metadata,
        },
        { idempotencyKey: `${id}/transfer` },
      ),
    )
  if (sent?.payout || transfer.metadata.failureCode || transfer.reversed)
    return reportOf({ transfer, payout: sent?.payout })
  try {
    const payout = await client.ask(async () =>
      object(
        await stripe.payouts.create(
          { amount: cents, currency: CURRENCY, description, metadata },
          { stripeAccount: accountId, idempotencyKey: `${id}/payout` },
        ),
      ),
    )
    return reportOf({ transfer, payout })
  } catch (error) {
    if (!(error instanceof ApiError) || error.row.status >= 500) throw error
    // The money is on the connected account: a refusal is the end of the payout, which `read` shows too.
    const failed = await stripe.transfers.update(transfer.id, { metadata: refusalOf(error) })
    return reportOf({ transfer: object(failed), payout: undefined })
  }
}

const refusalOf = ({ extra, message }: ApiError) => ({
  failureCode: isRecord(extra.details) ? String(extra.details.processorCode) : 'payout_refused',
  failureMessage: message.slice(0, 500),
})

async function find(stripe: Stripe, id: string, accountId: string): Promise<Sent | null> {
  const transfers = items(
    await stripe.transfers.list({ transfer_group: id, destination: accountId, limit: 1 }),
  )
  const [transfer] = transfers
  if (!transfer) return null
  const payouts = stripe.payouts.list(
    { created: { gte: transfer.created }, limit: 100 },
    { stripeAccount: accountId },
  )
  for await (const payout of payouts)
    if (object(payout).metadata?.payoutId === id) return { transfer, payout }
  return { transfer, payout: undefined }
}

async function requireSent(stripe: Stripe, id: string, accountId: string): Promise<Sent> {
  const sent = await find(stripe, id, accountId)
  if (!sent)
    throw apiError(PROCESSOR.PROCESSOR_OBJECT_NOT_FOUND, { hint: `there is no payout ${id} of ${accountId}` })
  return sent
}

const STATES: Record<string, PayoutReport['state']> = {
  in_transit: 'in_transit',
  paid: 'paid',
  failed: 'failed',
  canceled: 'canceled',
}

function reportOf({ transfer, payout }: Sent): PayoutReport {
  const { failureCode, failureMessage = '' } = transfer.metadata
  const code = payout?.failure_code ?? failureCode
  const withoutPayout = failureCode ? 'failed' : transfer.reversed ? 'canceled' : 'pending'
  return {
    transferId: transfer.id,
    payoutId: payout?.id ?? null,
    state: payout ? (STATES[payout.status] ?? 'pending') : withoutPayout,
    failure: code ? { code, message: payout?.failure_message ?? failureMessage } : null,
  }
}
