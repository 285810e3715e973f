// Plays deals against running services in sandbox mode, and checks at the end that they have all they acknowledged:
// node test/faults/play.ts SECONDS [CLIENTS] URL [URL]. Restart or upgrade the services meanwhile.
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { DealLoad } from './load.ts'

const numbers = process.argv.slice(2).filter(word => /^\d+$/.test(word))
const urls = process.argv.slice(2).filter(word => word.startsWith('http'))
const [seconds = 10, clients = 8] = numbers.map(Number)
const load = await new DealLoad(...urls).start(clients)
console.log(`${clients} clients play deals for ${seconds} s`)
await sleep(seconds * 1000)
await load.stop()
const lost = await load.lost(urls.at(-1) ?? '')
console.log(
  `${load.deals.length} deals, ${load.ended.length} ended, ${load.repeated} requests repeated, ${load.failures.length} failed, ${lost.length} deals lost a step`,
)
for (const line of [...load.failures, ...lost].slice(0, 20)) console.log(line)
process.exit(load.failures.length || lost.length ? 1 : 0)
