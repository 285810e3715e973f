import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { registerHuman, startTestService, type TestService } from '#test'
import type { Say } from './index.ts'

const ROUNDS = Number(process.env.ROUNDS ?? 1000)
/** One refresh token used 32 times at once: one success, each of `ROUNDS` times. */
async function refreshes(service: TestService, say: Say): Promise<void> {
  let { refreshToken } = await registerHuman(service)
  let wrong = 0
  const started = performance.now()
  for (let round = 0; round < ROUNDS; round++) {
    const answers = await Promise.all(
      Array.from({ length: 32 }, () =>
        service.http<{ refreshToken: string }>('POST', '/auth/refresh', { body: { refreshToken } }),
      ),
    )
    const good = answers.filter(answer => answer.status === 200)
    if (good.length !== 1 || answers.some(answer => answer.status !== 200 && answer.status !== 401)) wrong++
    refreshToken = good[0]?.body.refreshToken ?? (await registerHuman(service)).refreshToken
  }
  say(
    `${ROUNDS} x 32 parallel refreshes`,
    wrong === 0,
    `${ROUNDS - wrong} rounds with exactly one success, ${(((ROUNDS * 32) / (performance.now() - started)) * 1000).toFixed(0)} calls/s`,
  )
}

/** Sign-in of a known and of an unknown email, in turn: the same bytes, medians within 3 ms. */
async function logins(service: TestService, say: Say): Promise<void> {
  const times: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
  const bodies = new Set<string>()
  const people: string[] = []
  for (let round = 0; round < 100; round++) people.push((await registerHuman(service)).email)
  await sleep(3000)
  for (const [round, known] of people.entries()) {
    for (const [kind, email] of [
      ['known', known],
      ['unknown', `nobody-${round}@example.com`],
    ] as const) {
      const started = performance.now()
      const { text } = await service.http('POST', '/auth/login', {
        body: { email, password: 'not the password' },
      })
      times[kind].push(performance.now() - started)
      bodies.add(text)
    }
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
  const gap = Math.abs(median(times.known) - median(times.unknown))
  say(
    'sign-in of known and unknown emails',
    bodies.size === 1 && gap <= 3,
    `${bodies.size} kind of answer, medians ${median(times.known).toFixed(1)} and ${median(times.unknown).toFixed(1)} ms`,
  )
}

/** Account security: parallel refreshes of one token, and the time of sign-ins. */
export async function soakIdentity(say: Say): Promise<void> {
  const service = await startTestService({ LOG_LEVEL: 'silent' })
  try {
    await refreshes(service, say)
    await logins(service, say)
  } finally {
    await service.close()
  }
}
