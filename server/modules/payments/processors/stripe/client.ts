import type { Stripe } from 'stripe'
import { SECOND } from '#platform/kernel/clock'
import { apiError } from '#platform/kernel/errors'
import { PAYMENTS } from '../../errors.ts'
import { PROCESSOR } from '../errors.ts'
import { CardDeclined, NoAnswer } from '../port.ts'

/** Below the time that a caller waits for the processor, so that the reason is known when it ends. */
const TIMEOUT_MS = 9 * SECOND

/** Where Stripe's own API is. */
export const STRIPE_API_URL = 'https://api.stripe.com'

export interface StripeSettings {
  secretKey: string
  /** Where the API is; not Stripe's own address in tests. */
  apiUrl: string
  /** Where a payer goes who gave no address to return to. */
  publicUrl: string
}

type Sdk = typeof Stripe

/** The SDK, loaded with the first call, and what its errors mean to us. */
export class StripeClient {
  readonly settings: StripeSettings
  #loaded: Promise<{ stripe: Stripe; errors: Sdk['errors'] }> | undefined

  constructor(settings: StripeSettings) {
    this.settings = settings
  }

  /**
   * One or more requests. NoAnswer if it is unknown what they did; CardDeclined; ApiErrors: 400, 404 and 409 for a
   * refusal, 503 if Stripe does not accept our key. Stripe charges nothing for a refused request.
   */
  async ask<T>(work: (stripe: Stripe) => Promise<T>): Promise<T> {
    const { stripe, errors } = await this.#load()
    try {
      return await work(stripe)
    } catch (error) {
      throw error instanceof errors.StripeError ? meaningOf(error) : error
    }
  }

  /** The object, null if Stripe does not know it. */
  async find<T extends { id: string }>(work: (stripe: Stripe) => Promise<T>): Promise<T | null> {
    const { errors } = await this.#load()
    return this.ask(async stripe => {
      try {
        return object(await work(stripe))
      } catch (error) {
        if (error instanceof errors.StripeError && isMissing(error)) return null
        throw error
      }
    })
  }

  async #load() {
    this.#loaded ??= this.#open()
    try {
      return await this.#loaded
    } catch (error) {
      this.#loaded = undefined
      throw error
    }
  }

  async #open() {
    const { Stripe: sdk } = await import('stripe')
    const { protocol, hostname, port } = new URL(this.settings.apiUrl)
    const isPlain = protocol === 'http:'
    const stripe = new sdk(this.settings.secretKey, {
      host: hostname,
      port: port || (isPlain ? 80 : 443),
      protocol: isPlain ? 'http' : 'https',
      timeout: TIMEOUT_MS,
      // The caller decides whether to repeat: it knows how long its own client waits.
      maxNetworkRetries: 0,
      telemetry: false,
    })
    return { stripe, errors: sdk.errors }
  }
}

/**
 * The object as Stripe must have sent it. The SDK recognizes an error by its body alone: a page of a proxy in between
 * looks like an object without an id.
 */
export function object<T extends { id: string }>(given: T): T {
  if (typeof given.id !== 'string') throw new NoAnswer('the response is not from Stripe')
  return given
}

/** The items of a list as Stripe must have sent it. */
export function items<T>(list: { data: T[] }): T[] {
  if (!Array.isArray(list.data)) throw new NoAnswer('the response is not from Stripe')
  return list.data
}

type StripeError = InstanceType<Sdk['errors']['StripeError']>

const isMissing = ({ code, param }: StripeError): boolean =>
  code === 'resource_missing' && param !== 'payment_method'

const BUSY = new Set(['lock_timeout', 'idempotency_key_in_use', 'rate_limit'])

function meaningOf(error: StripeError): Error {
  const { type, code = '', statusCode = 0, message } = error
  if (type === 'StripeCardError') return declined(error)
  if (
    type === 'StripeAuthenticationError' ||
    (type === 'StripePermissionError' && code !== 'account_invalid')
  )
    return apiError(PAYMENTS.PROCESSOR_UNAVAILABLE, {
      hint: 'The card processor does not accept the key of this server: ask its operator',
      cause: error,
    })
  if (!statusCode || statusCode >= 500 || statusCode === 429 || BUSY.has(code))
    return new NoAnswer(message, { cause: error })
  const extra = { hint: message, details: { processorCode: code || type }, cause: error }
  if (isMissing(error) || code === 'account_invalid')
    return apiError(PROCESSOR.PROCESSOR_OBJECT_NOT_FOUND, extra)
  return apiError(
    statusCode === 409 ? PROCESSOR.PROCESSOR_STATE_CONFLICT : PROCESSOR.PROCESSOR_REFUSED,
    extra,
  )
}

const declined = ({ code, decline_code, message, payment_intent }: StripeError): CardDeclined =>
  new CardDeclined(declineCode({ code, decline_code }), message, payment_intent?.id ?? '')

/** Why a card was declined: the bank's reason, or ours where it gives none. */
export const declineCode = ({ code, decline_code }: { code?: string; decline_code?: string }): string =>
  decline_code && decline_code !== 'generic_decline' ? decline_code : (code ?? 'card_declined')

/** The id of something that is expanded or not. */
export const idOf = (given: string | { id: string } | null | undefined): string | null =>
  typeof given === 'string' ? given : (given?.id ?? null)

/** Seconds since 1970, as Stripe counts. */
export const seconds = (at: Date): number => Math.ceil(at.getTime() / SECOND)
