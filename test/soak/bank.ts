import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../chaos/clients/client.ts'
import { cents, dollars, micro } from '../chaos/clients/model.ts'
import type { Say } from './index.ts'
import { compare, onStage } from './stage.ts'

const OPERATIONS = Number(process.env.OPERATIONS ?? 1_000_000)
const CLIENTS = 64
/** Operations between two comparisons of all balances. */
const BETWEEN = 50_000
/** In cents: more than most wallets have at some time, so that some are refused. */
const MOST = 200_000

interface TrialBalance {
  items: { code: string; currency: string; credit: string }[]
}

/** A transfer to another client, refused if and only if the wallet has less. */
async function pass({ api, model, random, journal, me, other }: Client): Promise<void> {
  const amount = cents(1 + random.below(random.chance(0.9) ? 2000 : MOST))
  const to = other().walletId
  const had = model.balanceOf(me.walletId)
  await model.during([me.walletId, to], async () => {
    const { status } = await api.change({
      method: 'POST',
      operation: '/wallets/{id}/transfer',
      id: me.walletId,
      body: { toWalletId: to, amount: dollars(amount) },
      credential: me.session,
      refusals: [400],
    })
    journal.count('operations')
    if (status < 300) {
      model.add(me.walletId, -amount)
      model.add(to, amount)
      return
    }
    journal.count('refused transfers')
    // Nobody else takes from this wallet, so it has at least what it had.
    if (had >= amount)
      journal.find(`a transfer of ${dollars(amount)} was refused, the wallet has ${dollars(had)}`)
  })
}

/** At each moment the wallets have together what was paid in. */
async function readTotal({ api, journal, model, operator }: Client): Promise<void> {
  const { body } = await api.send<TrialBalance>({
    method: 'GET',
    operation: '/admin/trial-balance',
    credential: operator,
  })
  journal.count('operations')
  const total = body.items.find(({ code, currency }) => code === '2010' && currency === 'USD')?.credit
  const paidIn = [...model.wallets.values()].reduce((sum, each) => sum + each, 0n)
  if (micro(total ?? '0') !== paidIn)
    journal.find(`the wallets have ${total} together, ${dollars(paidIn)} was paid in`)
}

const STORIES = [...Array.from({ length: 9 }, () => pass), readTotal]

/** Clients transfer money among each other on two servers; the total never changes, and each balance is as acknowledged. */
export const soakBank = (say: Say): Promise<void> =>
  onStage({ clients: CLIENTS, stories: STORIES }, async stage => {
    const { journal } = stage
    const started = Date.now()
    for (const player of stage.players) player.start()
    for (let next = BETWEEN; next < OPERATIONS && !journal.findings.size; next += BETWEEN) {
      while (journal.of('operations') < next) await sleep(100)
      await compare(stage, false)
      console.log(`${journal.of('operations')} operations in ${Math.round((Date.now() - started) / 1000)} s`)
    }
    while (journal.of('operations') < OPERATIONS && !journal.findings.size) await sleep(100)
    await compare(stage, true)
    const took = (Date.now() - started) / 1000
    say(
      `bank, ${journal.of('operations')} operations of ${CLIENTS} clients`,
      journal.findings.size === 0,
      `${journal.of('refused transfers')} refused, ${journal.of('balances compared')} balances compared, ${Math.round(journal.of('operations') / took)} operations/s, ${journal.findings.size} findings`,
    )
  })
