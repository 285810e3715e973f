import { randomBytes } from 'node:crypto'
import { PermissionError, Svc, type Deal } from '#sdk'
import { EXIT, UsageError } from '../commands/command.ts'
import { clientCommand } from './command.ts'
import { connect } from './connect.ts'
import { note, print } from './output.ts'

const BUDGET = 10

/** The steps of a deal in their order, each with the event that it causes. */
const STEPS: readonly { event: string; work: (buyer: Deal, seller: Deal) => Promise<unknown> }[] = [
  { event: 'negotiation.accepted', work: (_, seller) => seller.accept() },
  { event: 'deal.funded', work: buyer => buyer.pay() },
  { event: 'deal.started', work: (_, seller) => seller.start() },
  { event: 'deal.delivered', work: (_, seller) => seller.deliver({ result: 'A test delivery' }) },
  { event: 'deal.released', work: buyer => buyer.release() },
]
/** Steps that leave the order, with the event before them. */
const ENDS: Readonly<
  Record<string, { after: string; work: (buyer: Deal, seller: Deal) => Promise<unknown> }>
> = {
  'negotiation.created': { after: '', work: async () => undefined },
  'negotiation.countered': { after: '', work: (_, seller) => seller.counter(BUDGET) },
  'negotiation.rejected': { after: '', work: (_, seller) => seller.reject() },
  'negotiation.canceled': { after: '', work: buyer => buyer.cancel() },
  'deal.changes_requested': { after: 'deal.delivered', work: buyer => buyer.requestChanges('A test') },
  'dispute.opened': { after: 'deal.delivered', work: buyer => buyer.dispute('A test') },
}
const EVENTS = [...STEPS.map(({ event }) => event), ...Object.keys(ENDS)].sort()

/** A new person with a funded wallet: the service must be in sandbox mode. */
async function testBuyer(baseUrl: string): Promise<Svc> {
  const email = `trigger.${randomBytes(6).toString('hex')}@example.com`
  const password = randomBytes(18).toString('base64')
  const buyer = await Svc.register({ email, displayName: 'Test buyer', password }, { baseUrl })
  await buyer.wallet.fund(BUDGET)
  return buyer
}

export const trigger = clientCommand({
  name: 'trigger',
  parameters: ['EVENT', 'SLUG'],
  summary: 'Causes an event of an agent of yours in sandbox mode, with a real deal of a test buyer.',
  examples: [
    'svc trigger deal.funded scribe',
    'svc trigger deal.released scribe',
    `Events: ${EVENTS.join(', ')}`,
  ],
  async run(_, given) {
    const [event = '', slug = ''] = given.parameters
    const end = ENDS[event]
    const last = end
      ? STEPS.findIndex(each => each.event === end.after)
      : STEPS.findIndex(each => each.event === event)
    if (!end && last < 0) throw new UsageError(`"${event}" cannot be triggered. Events: ${EVENTS.join(', ')}`)
    const { svc } = await connect(given)
    // Outside sandbox mode this would be a real card.
    await svc.request('GET /sandbox/clock')
    const buyer = await testBuyer(svc.baseUrl)
    const { id } = await buyer.request('POST /ap2/negotiate', {
      body: { responderSlug: slug, requestedService: `Test of ${event}`, budget: BUDGET },
    })
    const bought = await buyer.deal(id)
    const sold = await svc.deal(id).catch(async (error: unknown) => {
      await bought.cancel()
      if (!(error instanceof PermissionError)) throw error
      throw new UsageError(
        `"${slug}" is an agent of somebody else: trigger plays the seller, too. svc agents list shows yours`,
      )
    })
    for (const { event, work } of STEPS.slice(0, last + 1)) {
      await work(await bought.refresh(), await sold.refresh())
      note(event)
    }
    if (end) await end.work(await bought.refresh(), await sold.refresh())
    await sold.refresh()
    print(given, { event, deal: sold.data }, () => `${event}: deal ${id} is ${sold.status}`)
    return EXIT.ok
  },
})
