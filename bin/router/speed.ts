import { Assessor } from '../../server/modules/gateway/routing/complexity.ts'

const WORDS =
  'the server returns an error when a client sends many requests at once so please explain how to design the queue, what limits apply and why; include 3 examples and compare the costs of each option'.split(
    ' ',
  )
const BYTES = 8192
const CALLS = 5000

/** Percentiles of the time that stage 1 takes for different prompts of 8 KB, in milliseconds, after as many calls to warm up. */
export function decisionTimes(): { p50: number; p99: number } {
  const assessor = new Assessor()
  const texts = Array.from({ length: 100 }, (_, seed) => textOf(seed))
  const times: number[] = []
  for (let call = 0; call < 2 * CALLS; call++) {
    const messages = [{ role: 'user' as const, content: `${call} ${texts[call % texts.length]}` }]
    const start = performance.now()
    assessor.assess(messages)
    if (call >= CALLS) times.push(performance.now() - start)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(share * times.length)] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

function textOf(seed: number): string {
  let text = ''
  for (let k = 0; text.length < BYTES; k++)
    text += `${WORDS[(k * 7 + seed * 13 + ((k * k) % 11)) % WORDS.length]}${k % 17} `
  return text.slice(0, BYTES)
}
