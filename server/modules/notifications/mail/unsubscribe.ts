import { createHmac } from 'node:crypto'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { sameText } from '#platform/kernel/secrets'
import { NOTIFICATIONS } from '../errors.ts'
import { KINDS, type Kind } from '../events/kinds.ts'

/** What a person can unsubscribe from: mails about money are always sent. */
export type Category = Exclude<Kind, 'money'>
const CATEGORIES = KINDS.filter(kind => kind !== 'money')

type Signing = Pick<Services, 'secrets'>

const signatureOf = ({ secrets }: Signing, text: string): string =>
  createHmac('sha256', secrets.derive('notifications/unsubscribe')).update(text).digest('base64url')

/** The last part of a link that ends the mails of one category to one account. It needs no sign-in and does not expire. */
export function unsubscribeToken(services: Signing, accountId: string, category: Category): string {
  const text = `${accountId}.${category}`
  return `${text}.${signatureOf(services, text)}`
}

/** What a token ends; 404 for one that was not signed here. */
export function readToken(services: Signing, token: string): { accountId: string; category: Category } {
  const [accountId = '', name = '', signature = ''] = token.split('.')
  const category = CATEGORIES.find(each => each === name)
  if (!category || !sameText(signature, signatureOf(services, `${accountId}.${category}`)))
    throw apiError(NOTIFICATIONS.UNSUBSCRIBE_LINK_INVALID)
  return { accountId, category }
}
