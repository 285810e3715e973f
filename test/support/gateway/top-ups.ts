import assert from 'node:assert/strict'
import type { Answer, TestService } from '../service/service.ts'
import type { Person } from '../people/people.ts'

export interface TopUp {
  id: string
  status: string
  paymentId: string
  amount: string
  walletId: string | null
  balance: string
  leased: string
  checkout?: { id: string; url: string }
  code: string
  message: string
  hint?: string
}

/** Tops up the routing balance of a person, by card unless the body says otherwise. */
export const topUp = (
  service: TestService,
  { token }: Person,
  body: object,
  key?: string,
): Promise<Answer<TopUp>> =>
  service.http<TopUp>('POST', '/v1/wallet/topup', {
    token,
    body: { rail: 'card', ...body },
    headers: key === undefined ? {} : { 'idempotency-key': key },
  })

/** Tops up by card and returns the id of the payment. */
export async function toppedUp(service: TestService, person: Person, amount: number): Promise<string> {
  const { status, text, body } = await topUp(service, person, { amount })
  assert.equal(status, 200, text)
  return body.paymentId
}

export const routingBalance = async (service: TestService, { token }: Person): Promise<string> =>
  (await service.http<TopUp>('GET', '/v1/wallet/balance', { token })).body.balance
