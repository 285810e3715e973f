import { EgressRefused } from '../egress/dialer.ts'
import { FetchFailed } from '../egress/fetch.ts'
import { QueueFull } from '../../kernel/collections/fair-queue.ts'
import { NotVerified, type VerificationReport } from './report.ts'

/** The URL of an http or https page or endpoint, else NotVerified. */
export function requireUrl(text: string): URL {
  if (!URL.canParse(text)) throw new NotVerified('bad_url', 'this is not a URL')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new NotVerified('bad_url', `${url.protocol} addresses are not opened, only http: and https:`)
  if (url.username || url.password)
    throw new NotVerified('bad_url', 'the URL must not hold a user name or password')
  return url
}

/** Why a URL was not verified, in public words. */
export function asNotVerified(error: unknown): {
  code: VerificationReport['code']
  message: string
  seen?: Partial<VerificationReport>
} {
  if (error instanceof NotVerified || error instanceof EgressRefused || error instanceof FetchFailed)
    return error
  if (error instanceof QueueFull)
    return {
      code: 'unavailable',
      message: 'too many deliveries are being checked: send it again in a moment',
    }
  return { code: 'unavailable', message: 'the browser failed: send it again in a moment' }
}
