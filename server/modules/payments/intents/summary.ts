import type { Queryable } from '#platform/kernel/db'
import * as statements from '../sql.ts'
import type { Intent } from '../sql.ts'

/** What modules above read of a payment. `processorId` is its id at the processor, null while unknown; `paymentMethod` is null for a hosted page. */
export type PaymentSummary = Pick<
  Intent,
  'id' | 'status' | 'reference' | 'amount' | 'currency' | 'paymentMethod' | 'processorId' | 'journalId'
>

/** Undefined for a payment that was never started. */
export const paymentById = (q: Queryable, paymentId: string): Promise<PaymentSummary | undefined> =>
  q.maybe(statements.intentById(paymentId))
