import { SECOND } from '#platform/kernel/clock'
import { FairQueue } from '#platform/kernel/collections/fair-queue'
import { memoizePerService, type Services } from '#platform/kernel/services'
import { textOf } from '#platform/kernel/unknown'
import { isSignedWebhook, signWebhook } from '#platform/http/webhook-signature'
import type { DeliveryRow, NegotiationRow } from '../deal/rows.ts'
import type { Checker } from './criterion.ts'
import type { Outcome } from './result.ts'

/** A checker that needs longer answers 202 and is asked again until its deadline. */
const ATTEMPT_MS = 10 * SECOND
const ANSWER_BYTES_MAX = 64 * 1024
const SEAL = 'ap2/criterion'

export const sealSecret =
  ({ secrets }: Pick<Services, 'secrets'>) =>
  (secret: string): string =>
    secrets.seal(secret, SEAL)

/** The slow checkers of one buyer take a part of the places only. */
const queueOf = memoizePerService(
  () => new FairQueue({ places: 16, perKey: 5, waiting: 64, waitMs: 2 * SECOND }),
)

interface Subject {
  negotiation: NegotiationRow
  delivery: DeliveryRow
  milestoneKey: string | null
}

const PENDING: Outcome = { status: 'PENDING', detail: null }

/**
 * Asks the buyer's endpoint about a delivery, once. PENDING if it gave no answer that counts yet; a signature that is not
 * valid, and an answer that is not understood, are an ERROR at once. Never throws.
 */
export async function askChecker(services: Services, checker: Checker, subject: Subject): Promise<Outcome> {
  const { verifier, secrets } = services
  const secret = secrets.open(checker.sealedSecret, SEAL)
  const id = `${subject.delivery.id}-${checker.key}`
  const body = JSON.stringify(questionOf(checker, subject))
  const ask = () =>
    verifier.exchange(checker.url, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'svc-checker',
        ...signWebhook(secret, { id, timestamp: nowSeconds(), body }),
      },
      timeoutMs: Math.min(ATTEMPT_MS, checker.timeoutSeconds * SECOND),
      maxBytes: ANSWER_BYTES_MAX,
      maxRedirects: 0,
    })
  try {
    const answer = await queueOf(services).run(subject.negotiation.buyerAccountId, ask)
    // Still working, or failing for now.
    if (answer.status !== 200) return PENDING
    const isOurs = answer.headers['webhook-id'] === id
    if (!isOurs || !isSignedWebhook(secret, answer.headers, answer.body, nowSeconds()))
      return { status: 'ERROR', detail: 'the answer of the checker is not signed with its secret' }
    return verdictOf(answer.body)
  } catch (error) {
    const refused = ['private_address', 'port', 'bad_url'].includes(textOf(error, 'code'))
    return refused ? { status: 'ERROR', detail: 'the address of the checker is not allowed' } : PENDING
  }
}

// Signatures are compared with the clock of the other machine: the real time, also where the sandbox clock is ahead.
const nowSeconds = (): number => Math.floor(Date.now() / SECOND)

const questionOf = ({ key }: Checker, { negotiation, delivery, milestoneKey }: Subject) => ({
  type: 'delivery.check',
  criterion: key,
  negotiationId: negotiation.id,
  escrowId: delivery.escrowId,
  delivery: {
    id: delivery.id,
    attempt: delivery.attempt,
    milestoneKey,
    result: delivery.result,
    deliverableUrl: delivery.deliverableUrl,
    artifacts: delivery.artifacts ?? [],
    evidence: delivery.evidence,
    notes: delivery.notes,
  },
})

function verdictOf(body: Buffer): Outcome {
  const garbage: Outcome = {
    status: 'ERROR',
    detail: 'the answer of the checker is not {"result": "pass" or "fail", "reason": text}',
  }
  try {
    const answer = JSON.parse(body.toString('utf8')) as { result?: unknown; reason?: unknown } | null
    const { result, reason = null } = answer ?? {}
    if ((result !== 'pass' && result !== 'fail') || (reason !== null && typeof reason !== 'string'))
      return garbage
    return { status: result === 'pass' ? 'PASSED' : 'FAILED', detail: reason }
  } catch {
    return garbage
  }
}
