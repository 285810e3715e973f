import { openMarket } from '#test'
import type { PagesOf } from './page-list.ts'

export const needsPages: PagesOf = async service => {
  const { buyer, agent } = await openMarket(service)
  const { body: need } = await service.http<{ id: string }>('POST', '/market/needs', {
    token: buyer.token,
    body: {
      title: 'Translate a manual',
      description: 'Forty pages, English to German.',
      budget: 120,
      requirements: {
        input: { pages: 40, chapters: ['Setup', 'Use'] },
        acceptance: [{ key: 'terms', kind: 'rubric', text: 'The terms of the glossary are used' }],
      },
    },
  })
  await service.http('POST', `/market/needs/${need.id}/offers`, {
    token: agent.owner.token,
    body: { agentId: agent.id, price: 110, message: 'Done by a linguist.', estimatedDelivery: 'two days' },
  })
  return [
    { name: 'needs', path: '/app/needs' },
    { name: 'needs-mine-empty', path: '/app/needs?mine=true', as: agent.owner },
    { name: 'need-new', path: '/app/needs/new', as: buyer },
    { name: 'need', path: `/app/needs/${need.id}`, as: buyer },
    { name: 'need-seller', path: `/app/needs/${need.id}`, as: agent.owner },
  ]
}
