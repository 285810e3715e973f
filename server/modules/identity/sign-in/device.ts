import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import type { HttpRequest } from '#platform/http/operation'
import type { Cookie } from '#platform/http/response'
import { DAY, SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import { cookieOf } from '../credentials/cookie.ts'

/*
 * A device that signed in stores a cookie. It proves no identity: it says that the device signed in before, so that its
 * password attempts are counted apart.
 */

const COOKIE_SECONDS = (365 * DAY) / SECOND

const cookieFor = (services: Pick<Services, 'publicUrl'>) => cookieOf(services, 'svc_device', '/auth')

/** The token in the device cookie of a request. */
export const readDeviceToken = (
  services: Pick<Services, 'publicUrl'>,
  { cookies }: Pick<HttpRequest, 'cookies'>,
): string | undefined => cookies[cookieFor(services).name]

/** The cookie of a device that signed in to the account. */
export function deviceCookie(services: Services, http: HttpRequest, accountId: string): Cookie {
  const token = readDeviceToken(services, http)
  const isKnown = knownDevice(services, token, accountId) !== null
  const { name, options } = cookieFor(services)
  const value = token && isKnown ? token : newDeviceToken(services, accountId)
  return { name, value, options: { ...options, maxAge: COOKIE_SECONDS } }
}

/** The id of the device if its token is one of this account, else null. */
export function knownDevice(services: Services, token: string | undefined, accountId: string): string | null {
  const [device = '', mac = ''] = token?.split('.') ?? []
  const given = Buffer.from(mac, 'base64url')
  const expected = deviceMac(services, device, accountId)
  return given.length === expected.length && timingSafeEqual(given, expected) ? device : null
}

function newDeviceToken(services: Services, accountId: string): string {
  const device = randomUUID()
  return `${device}.${deviceMac(services, device, accountId).toString('base64url')}`
}

const deviceMac = ({ secrets }: Services, device: string, accountId: string): Buffer =>
  createHmac('sha256', secrets.derive('identity/device')).update(`${device} ${accountId}`).digest()
