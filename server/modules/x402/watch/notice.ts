import { createHmac } from 'node:crypto'
import { apiError } from '#platform/kernel/errors'
import { randomToken } from '#platform/kernel/id'
import { sameText } from '#platform/kernel/secrets'
import { memoizePerService, type Services } from '#platform/kernel/services'
import { ChainAway, type Hex } from '../chain/port.ts'
import { X402 } from '../errors.ts'
import { readChain, readTransaction } from './look.ts'

/** The secret of the notifications: of the configuration, else made on first use. */
export const noticeSecret = memoizePerService(
  async ({ config, secrets, db }: Services): Promise<string> =>
    config.X402_WEBHOOK_SECRET ?? secrets.stored(db, 'x402/webhook', () => randomToken(32)),
)

/** The header of a notification: HMAC-SHA256 of the bytes of its body. */
export const noticeSignature = (raw: Buffer | string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`

/**
 * Takes a notification that something happened on the chain, and looks for itself: what the body states credits nothing.
 * ApiError 400 for a bad signature, 503 if the node does not answer, so that the sender repeats it.
 */
export async function receiveNotice(
  services: Services,
  { signature, raw, txHash }: { signature: string; raw: Buffer | null; txHash?: string },
): Promise<{ received: true; transfers: number }> {
  const secret = await noticeSecret(services)
  if (!sameText(signature, noticeSignature(raw ?? Buffer.alloc(0), secret)))
    throw apiError(X402.X402_SIGNATURE_INVALID, {
      hint: 'x-webhook-signature must be sha256= and the HMAC-SHA256 of the raw body',
    })
  try {
    if (txHash !== undefined)
      return { received: true, transfers: await readTransaction(services, txHash.toLowerCase() as Hex) }
    await readChain(services)
    return { received: true, transfers: 0 }
  } catch (cause) {
    if (!(cause instanceof ChainAway)) throw cause
    throw apiError(X402.CHAIN_UNAVAILABLE, { hint: 'Send the notification again', cause })
  }
}
