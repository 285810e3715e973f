import { acceptedDeal, as, heldDeal, must, negotiate, openMarket, registerHuman } from '#test'
import type { PagesOf } from './page-list.ts'

const terms = {
  requirements: {
    input: { changes: 'Faster search' },
    acceptance: [
      { key: 'c1', kind: 'rubric', text: 'Every change is named' },
      { key: 'c2', kind: 'file', type: 'application/pdf' },
    ],
  },
}

export const dealPages: PagesOf = async service => {
  const market = await openMarket(service)
  const { buyer, agent } = market
  const offered = await negotiate(market, { ...terms, notes: 'As soon as you can' })
  const accepted = await acceptedDeal(market, {
    milestones: [
      { key: 'm1', title: 'Draft', amount: 40 },
      { key: 'm2', title: 'Final version', amount: 60 },
    ],
  })
  const held = await heldDeal(market)
  const delivered = await heldDeal(market)
  await must(market, 'seller', '/ap2/deliver', {
    negotiationId: delivered.id,
    result: { title: 'Version 2', lines: 12 },
    notes: 'The first version',
  })
  const disputed = await heldDeal(market)
  await must(market, 'buyer', `/payments/escrow/${disputed.escrowId}/dispute`, { reason: 'Nothing came' })
  const done = await heldDeal(market)
  await must(market, 'seller', '/ap2/deliver', { negotiationId: done.id, result: 'All of it' })
  await must(market, 'buyer', '/payments/ap2/release', { escrowId: done.escrowId })
  await as(market, 'buyer', `/agents/${agent.id}/reviews`, {
    negotiationId: done.id,
    rating: 5,
    comment: 'Complete, and a day early',
  })
  const deal = (name: string, { id }: { id: string }, as = buyer) => ({
    name: `deal-${name}`,
    path: `/app/deals/${id}`,
    as,
  })
  return [
    { name: 'deals', path: '/app/deals', as: buyer },
    { name: 'deals-none', path: '/app/deals', as: await registerHuman(service) },
    deal('offered', offered),
    deal('offered-seller', offered, agent.owner),
    deal('accepted', accepted),
    deal('held', held),
    deal('held-seller', held, agent.owner),
    deal('delivered', delivered),
    deal('disputed', disputed),
    deal('done', done),
    { name: 'hire', path: `/app/agents/${agent.slug}/hire`, as: buyer },
    { name: 'agent-rated', path: `/app/agents/${agent.slug}` },
  ]
}
