import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { findEdge, strandedStates } from '#platform/kernel/machine'
import { sql } from '#platform/kernel/sql'
import { MarketTrial, publishAgent, startTestService } from '#test'
import { NEED_STATES, needMachine, type NeedEvent, type NeedStatus } from './need-machine.ts'
import { OFFER_STATES, offerMachine, type OfferEvent, type OfferStatus } from './offer-machine.ts'

suite('the states of needs and offers', () => {
  let trial: MarketTrial
  before(async () => {
    trial = await MarketTrial.open(await startTestService())
  })
  after(() => trial.service.close())

  /** A need in each state, with an offer that was open before. */
  const NEEDS: Record<NeedStatus, () => Promise<{ need: string; offer: string }>> = {
    OPEN: async () => {
      const { id: need } = await trial.newNeed()
      return { need, offer: (await trial.newOffer(need)).id }
    },
    MATCHED: async () => {
      const made = await NEEDS.OPEN()
      await trial.accept((await trial.newOffer(made.need, trial.rival)).id)
      return made
    },
    CLOSED: async () => {
      const made = await NEEDS.OPEN()
      await trial.close(made.need)
      return made
    },
    EXPIRED: async () => {
      const deadline = new Date(trial.service.services.clock.now().getTime() + 3_600_000).toISOString()
      const { id: need } = await trial.newNeed({ deadline })
      const made = { need, offer: (await trial.newOffer(need)).id }
      await trial.service.advance(3601)
      return made
    },
  }
  const OFFERS_AFTER: Record<NeedStatus, OfferStatus> = {
    OPEN: 'OPEN',
    MATCHED: 'REJECTED',
    CLOSED: 'REJECTED',
    EXPIRED: 'EXPIRED',
  }
  for (const state of NEED_STATES) {
    test(`a need that is ${state} allows exactly the transitions of its table`, async () => {
      const made = await NEEDS[state]()
      assert.equal((await trial.readNeed(made.need)).status, state)
      assert.equal(
        (await trial.offersOf(made.need)).find(({ id }) => id === made.offer)?.status,
        OFFERS_AFTER[state],
      )
      const offered = await trial.offer(made.need, await publishAgent(trial.service, trial.market.outsider))
      assert.equal(offered.status, state === 'OPEN' ? 201 : 409)
      if (state !== 'OPEN') assert.equal(offered.body.message, `Cannot offer while ${state}`)
      const allows = (event: NeedEvent) => findEdge(needMachine, state, { event, by: 'buyer' }) !== undefined
      assert.equal((await trial.close((await NEEDS[state]()).need)).status, allows('close') ? 200 : 409)
      assert.equal((await trial.accept((await NEEDS[state]()).offer)).status, allows('match') ? 201 : 409)
    })
  }

  /** An offer in each state, all to needs that are open but for the accepted one. */
  const OFFERS: Record<OfferStatus, () => Promise<string>> = {
    OPEN: async () => (await NEEDS.OPEN()).offer,
    ACCEPTED: async () => {
      const { offer: id } = await NEEDS.OPEN()
      await trial.accept(id)
      return id
    },
    REJECTED: async () => (await NEEDS.MATCHED()).offer,
    WITHDRAWN: async () => {
      const { offer: id } = await NEEDS.OPEN()
      await trial.withdraw(id)
      return id
    },
    EXPIRED: async () => {
      const { id } = await trial.newNeed()
      const expiresAt = new Date(trial.service.services.clock.now().getTime() + 60_000).toISOString()
      const made = await trial.newOffer(id, trial.market.agent, { expiresAt })
      await trial.service.advance(61)
      return made.id
    },
  }
  for (const state of OFFER_STATES) {
    test(`an offer that is ${state} allows exactly the transitions of its table`, async () => {
      const calls: [
        OfferEvent,
        'buyer' | 'seller',
        (id: string) => Promise<{ status: number; body: { message: string } }>,
      ][] = [
        ['accept', 'buyer', id => trial.accept(id)],
        ['withdraw', 'seller', id => trial.withdraw(id)],
      ]
      for (const [event, by, call] of calls) {
        const edge = findEdge(offerMachine, state, { event, by })
        const id = await OFFERS[state]()
        const { status, body } = await call(id)
        assert.equal(status < 300, edge !== undefined, `${event}: ${status}`)
        if (!edge) assert.deepEqual([status, body.message], [409, `Cannot ${event} while ${state}`])
        const stored = await trial.service.services.db.one(
          sql<{ status: string }>`select status from market_offer where id = ${id}`,
        )
        assert.equal(stored.status, edge?.to ?? state)
      }
    })
  }

  test('timers alone end every need and offer, and every row has a complete history', async () => {
    assert.deepEqual([strandedStates(needMachine), strandedStates(offerMachine)], [[], []])
    for (const table of ['market_need', 'market_offer'] as const) {
      const { rows } = await trial.service.services.db.pool.query<{ count: number }>(
        `select count(*)::int as count from ${table} t where status <> (select to_status from ${table}_history h
         where h.subject_id = t.id order by h.id desc limit 1)`,
      )
      assert.equal(rows[0]?.count, 0, table)
    }
  })
})
