import assert from 'node:assert/strict'
import { createChallenge, randomInt, verifySolution, type Payload } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { after, MINUTE, SECOND } from '#platform/kernel/clock'
import { COMMON, apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { IDENTITY } from '../errors.ts'

const LIFE = 5 * MINUTE
/** About a second for a browser; registration in bulk must cost something, not fail. */
const COST = { algorithm: 'PBKDF2/SHA-256', cost: 1000 }
const COUNTER = { min: 2000, max: 6000 }
const VERIFIER_TIMEOUT = 5 * SECOND

const keysOf = ({ secrets }: Services) => ({
  hmacSignatureSecret: secrets.derive('identity/challenge').toString('hex'),
  hmacKeySignatureSecret: secrets.derive('identity/challenge-key').toString('hex'),
})

/** A proof-of-work challenge (ALTCHA), valid for five minutes; 404 unless the operator has enabled it. */
export async function newChallenge(services: Services) {
  if (services.config.AGENT_CHALLENGE !== 'pow')
    throw apiError(IDENTITY.CHALLENGE_DISABLED, { hint: 'Register without a solution' })
  const { parameters, signature } = await createChallenge({
    ...COST,
    counter: randomInt(COUNTER.max, COUNTER.min),
    deriveKey,
    expiresAt: after(services.clock.real(), LIFE),
    ...keysOf(services),
  })
  const { expiresAt } = parameters
  assert(expiresAt !== undefined && signature !== undefined)
  return { parameters: { ...parameters, expiresAt }, signature }
}

export interface Answers {
  challengeSolution?: string
  botToken?: string
  ip: string
}

/**
 * Runs `work` for an agent that shows what the operator asks for: nothing, a solved challenge or a confirmed bot token;
 * 400 without. A solution is valid for one success: if `work` fails, it may be sent again.
 */
export async function withChallenge<T>(
  services: Services,
  { challengeSolution, botToken, ip }: Answers,
  work: () => Promise<T>,
): Promise<T> {
  const { AGENT_CHALLENGE: asked } = services.config
  if (asked === 'pow') return withSolution(services, challengeSolution, work)
  if (asked === 'bot-token') await requireBotToken(services, botToken, ip)
  return work()
}

async function withSolution<T>(
  services: Services,
  text: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!text)
    throw apiError(IDENTITY.CHALLENGE_REQUIRED, {
      hint: 'Solve GET /auth/register-agent/challenge and send challengeSolution',
    })
  const { challenge, solution } = read(text)
  const checked = await verifySolution({ challenge, solution, deriveKey, ...keysOf(services) }).catch(
    () => null,
  )
  if (!checked?.verified)
    throw apiError(IDENTITY.CHALLENGE_FAILED, {
      hint: checked?.expired ? 'The challenge has expired: get another one' : 'The solution is wrong',
    })
  // A solved challenge verifies again: it is taken once, for longer than it lives; before the work, so that many at once
  // come in one by one.
  const key = `challenge:${challenge.parameters.nonce}`
  const used = await services.limits.take(key, 1, (2 * LIFE) / SECOND)
  if (!used.allowed)
    throw apiError(IDENTITY.CHALLENGE_FAILED, {
      hint: 'This solution has already been used: get another challenge',
    })
  try {
    return await work()
  } catch (error) {
    await services.limits.reset(key)
    throw error
  }
}

/** ALTCHA's payload: base64 of `{challenge, solution}`. */
function read(text: string): Payload {
  try {
    const payload = JSON.parse(Buffer.from(text, 'base64').toString('utf8')) as Payload
    if (typeof payload.challenge.parameters.nonce === 'string' && typeof payload.solution === 'object')
      return payload
  } catch {
    /* answered below */
  }
  throw apiError(IDENTITY.CHALLENGE_FAILED, {
    hint: 'challengeSolution must be base64 of {"challenge", "solution"}',
  })
}

async function requireBotToken(
  { config, log }: Services,
  botToken: string | undefined,
  ip: string,
): Promise<void> {
  if (!botToken) throw apiError(IDENTITY.CHALLENGE_REQUIRED, { hint: 'Send botToken' })
  const form = new URLSearchParams({
    secret: config.BOT_VERIFY_SECRET ?? '',
    response: botToken,
    remoteip: ip,
  })
  const answer = await fetch(config.BOT_VERIFY_URL ?? '', {
    method: 'POST',
    body: form,
    signal: AbortSignal.timeout(VERIFIER_TIMEOUT),
  })
    .then(response => response.json() as Promise<{ success?: unknown }>)
    .catch((error: unknown) => {
      log.error({ err: error }, 'the bot verifier does not answer')
      throw apiError(COMMON.UNAVAILABLE, {
        hint: 'The bot verifier does not respond: try again',
        headers: { 'Retry-After': '5' },
      })
    })
  if (answer.success !== true)
    throw apiError(IDENTITY.CHALLENGE_FAILED, { hint: 'The bot token was not confirmed' })
}
