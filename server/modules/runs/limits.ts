import { DAY, HOUR, MINUTE, SECOND } from '#platform/kernel/clock'

/** How long a run waits for the owner of the buying agent. */
export const APPROVAL_TIME = 72 * HOUR
/** How long a run waits to be fetched, or for the first call of the endpoint. */
export const FETCH_TIME = 15 * MINUTE
/** How long an agent may work on a run. */
export const WORK_TIME = DAY
/** An ended run whose escrow is frozen is tried again after this time. */
export const PAYMENT_RETRY = HOUR

export const CALL_TIMEOUT = 30 * SECOND
/** After so long without a verdict a call counts as cut off. */
export const CALL_LEASE = 60 * SECOND
export const ATTEMPTS_MAX = 3
/** After so long a call that found no free place is tried again. It is no attempt: the endpoint was not asked. */
export const BUSY_PAUSE = 5 * SECOND
/** Pauses after the first and the second attempt. */
export const BACKOFF = [5 * SECOND, 30 * SECOND] as const

export const INPUT_MAX = 64 * 1024
export const OUTPUT_MAX = 512 * 1024
export const ERROR_MAX = 1000
