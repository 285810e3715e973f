import { createChallenge, randomInt, verifySolution, type Challenge, type Payload } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import { after, MINUTE, SECOND } from '#platform/clock'
import { COMMON, fault } from '#platform/fault'
import type { Services } from '#platform/services'
import { IDENTITY } from './faults.ts'

const LIFE = 5 * MINUTE
/** About a second for a browser; what is wanted is a cost, not a wall. */
const COST = { algorithm: 'PBKDF2/SHA-256', cost: 1000 }
const COUNTER = { min: 2000, max: 6000 }
const VERIFIER_TIMEOUT = 5 * SECOND

const keysOf = ({ secrets }: Services) => ({
  hmacSignatureSecret: secrets.derive('identity/challenge').toString('hex'),
  hmacKeySignatureSecret: secrets.derive('identity/challenge-key').toString('hex'),
})

/** A proof-of-work challenge (ALTCHA), good for five minutes; 404 where the operator has not enabled it. */
export function newChallenge(services: Services): Promise<Challenge> {
  if (services.config.AGENT_CHALLENGE !== 'pow')
    throw fault(IDENTITY.CHALLENGE_DISABLED, { hint: 'Register without a solution' })
  const expiresAt = after(services.clock.real(), LIFE)
  return createChallenge({
    ...COST,
    counter: randomInt(COUNTER.max, COUNTER.min),
    deriveKey,
    expiresAt,
    ...keysOf(services),
  })
}

export interface Answers {
  challengeSolution?: string
  botToken?: string
  ip: string
}

/**
 * Runs `act` for an agent that shows what the operator asks for: nothing, a solved challenge or a confirmed bot token;
 * 400 without. A solution is good for one success: when `act` fails it may be sent again.
 */
export async function withChallenge<T>(
  services: Services,
  { challengeSolution, botToken, ip }: Answers,
  act: () => Promise<T>,
): Promise<T> {
  const { AGENT_CHALLENGE: asked } = services.config
  if (asked === 'pow') return withSolution(services, challengeSolution, act)
  if (asked === 'bot-token') await demandBotToken(services, botToken, ip)
  return act()
}

async function withSolution<T>(services: Services, text: string | undefined, act: () => Promise<T>): Promise<T> {
  if (!text)
    throw fault(IDENTITY.CHALLENGE_REQUIRED, {
      hint: 'Solve GET /auth/register-agent/challenge and send challengeSolution',
    })
  const { challenge, solution } = read(text)
  const checked = await verifySolution({ challenge, solution, deriveKey, ...keysOf(services) }).catch(() => null)
  if (!checked?.verified)
    throw fault(IDENTITY.CHALLENGE_FAILED, {
      hint: checked?.expired ? 'The challenge has expired: get another one' : 'The solution is wrong',
    })
  // A solved challenge verifies again: it is taken once, for longer than it lives; before the act, so that many at once
  // come in one by one.
  const key = `challenge:${challenge.parameters.nonce}`
  const used = await services.limits.take(key, 1, (2 * LIFE) / SECOND)
  if (!used.allowed) throw fault(IDENTITY.CHALLENGE_FAILED, { hint: 'This solution has already been used: get another challenge' })
  try {
    return await act()
  } catch (error) {
    await services.limits.forget(key)
    throw error
  }
}

/** ALTCHA's payload: base64 of `{challenge, solution}`. */
function read(text: string): Payload {
  try {
    const payload = JSON.parse(Buffer.from(text, 'base64').toString('utf8')) as Payload
    if (typeof payload.challenge.parameters.nonce === 'string' && typeof payload.solution === 'object') return payload
  } catch {
    /* answered below */
  }
  throw fault(IDENTITY.CHALLENGE_FAILED, { hint: 'challengeSolution must be base64 of {"challenge", "solution"}' })
}

async function demandBotToken({ config, log }: Services, botToken: string | undefined, ip: string): Promise<void> {
  if (!botToken) throw fault(IDENTITY.CHALLENGE_REQUIRED, { hint: 'Send botToken' })
  const form = new URLSearchParams({ secret: config.BOT_VERIFY_SECRET ?? '', response: botToken, remoteip: ip })
  const answer = await fetch(config.BOT_VERIFY_URL ?? '', {
    method: 'POST',
    body: form,
    signal: AbortSignal.timeout(VERIFIER_TIMEOUT),
  })
    .then(response => response.json() as Promise<{ success?: unknown }>)
    .catch((error: unknown) => {
      log.error({ err: error }, 'the bot verifier does not answer')
      throw fault(COMMON.UNAVAILABLE, {
        hint: 'The bot verifier does not respond: try again',
        headers: { 'Retry-After': '5' },
      })
    })
  if (answer.success !== true) throw fault(IDENTITY.CHALLENGE_FAILED, { hint: 'The bot token was not confirmed' })
}
