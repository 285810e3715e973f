import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer } from '#test'

const PAUSE_MS = 1000
const TRIES = 60

/** Sends a request again while the answer is 503, the service's word for "repeat this": a machine that does much else gives it. */
export async function patiently<Body>(send: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  for (let tries = 1; ; tries++) {
    const answer = await send()
    if (answer.status !== 503 || tries === TRIES) return answer
    await sleep(PAUSE_MS)
  }
}
