import type { Page } from '#platform/http/schema'
import { part, sql } from '#platform/kernel/sql'
import type { IntentStatus } from '../intents/machine.ts'
import type { Intent } from '../sql.ts'

export interface PaymentFilter {
  accountId: string
  status?: IntentStatus | undefined
}

const where = ({ accountId, status }: PaymentFilter) =>
  status === undefined
    ? part`account_id = ${accountId}`
    : part`account_id = ${accountId} and status = ${status}`

export const paymentsWith = (filter: PaymentFilter, { limit, offset }: Page) => sql<Intent>`
  select * from payments_intent where ${where(filter)} order by created_at desc, id desc limit ${limit} offset ${offset}`

export const countPaymentsWith = (filter: PaymentFilter, atMost: number) => sql<{ counted: number }>`
  select count(*)::int as counted from (select from payments_intent where ${where(filter)} limit ${atMost}) as found`
