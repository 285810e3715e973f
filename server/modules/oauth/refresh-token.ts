import { createHmac } from 'node:crypto'
import { isId, randomToken } from '#platform/kernel/id'
import { sameText } from '#platform/kernel/secrets'
import type { Services } from '#platform/kernel/services'

type Parts = Pick<Services, 'secrets'>

/** A refresh token of a grant. It names the grant, signed: so the use of any earlier one is noticed, and none is stored. */
export function makeRefreshToken(parts: Parts, grantId: string): string {
  const body = `${grantId}.${randomToken(32)}`
  return `${body}.${signatureOf(parts, body)}`
}

/** The grant that a refresh token of this service was given for, whether it was used or not; null for other text. */
export function grantIdOf(parts: Parts, refreshToken: string): string | null {
  const [id = '', random = '', signature = ''] = refreshToken.split('.')
  return isId(id) && sameText(signature, signatureOf(parts, `${id}.${random}`)) ? id : null
}

const signatureOf = ({ secrets }: Parts, body: string): string =>
  createHmac('sha256', secrets.derive('oauth/refresh-token')).update(body).digest('base64url')
