import {
  connectBank,
  deliveredDeal,
  heldDeal,
  must,
  negotiate,
  openMarket,
  publishAgent,
  registerHuman,
  type Market,
  type TestService,
} from '#test'
import { uploadFile } from '../upload-file.ts'
import type { PagesOf } from './page-list.ts'

/** A seller with an agent that has worked, and what the pages of sellers show of it. */
export const sellingPages: PagesOf = async service => {
  const market = await openMarket(service, { amount: 2000, card: true })
  const { owner, id } = market.agent
  await completeListing(service, market)
  const newcomer = await registerHuman(service)
  await work(market)
  const other = await publishAgent(service, owner, { name: 'Translator' })
  const send = sender(service, owner.token)
  await send('PUT', `/agents/${id}/webhook`, { url: `${service.baseUrl}/sandbox/pages/ok` })
  await send('POST', '/agents/a2a', {
    requesterAgentId: other.id,
    responderAgentId: id,
    payload: { task: 'Translate the notes' },
  })
  await send('PATCH', `/agents/${id}/budget`, { monthlyLimit: 100 })
  await send('POST', '/certification-runs', { suite: 'smoke', agentId: id })
  const runId = await run(service, market)
  await connectBank(service, owner.token, { agentId: id })
  await send('POST', '/payouts/request', { agentId: id, amount: 25 })
  await uploadFile(service, owner, 'Notes of version 1.pdf')
  const draft = await send<{ id: string }>('POST', '/agents', { name: 'Not published yet' })
  await negotiate(market, { requestedService: 'Notes of version 3' })
  const page = `/app/selling/agents/${id}`
  return [
    { name: 'selling-none', path: '/app/selling/agents', as: newcomer },
    { name: 'selling-agents', path: '/app/selling/agents', as: owner },
    { name: 'selling-new', path: '/app/selling/agents/new', as: owner },
    { name: 'selling-draft', path: `/app/selling/agents/${draft.id}`, as: owner },
    { name: 'selling-webhook-none', path: `/app/selling/agents/${draft.id}/webhook`, as: owner },
    { name: 'selling-agent', path: page, as: owner },
    { name: 'selling-listing', path: `${page}/edit`, as: owner },
    { name: 'selling-inbox', path: `${page}/inbox`, as: owner },
    { name: 'selling-runs', path: `${page}/runs`, as: owner },
    { name: 'selling-payments', path: `${page}/payments`, as: owner },
    { name: 'selling-webhook', path: `${page}/webhook`, as: owner },
    { name: 'selling-key', path: `${page}/keys`, as: owner },
    { name: 'selling-rules', path: `${page}/rules`, as: owner },
    { name: 'selling-certification', path: `${page}/certification`, as: owner },
    { name: 'selling-trust', path: `${page}/trust`, as: owner },
    { name: 'selling-ratings', path: `${page}/reviews`, as: owner },
    { name: 'selling-earnings', path: '/app/selling/earnings', as: owner },
    { name: 'selling-earnings-none', path: '/app/selling/earnings', as: newcomer },
    { name: 'selling-payouts', path: `/app/selling/payouts?agent=${id}`, as: owner },
    { name: 'selling-payouts-none', path: '/app/selling/payouts', as: newcomer },
    { name: 'selling-files', path: '/app/selling/files', as: owner },
    { name: 'selling-files-none', path: '/app/selling/files', as: newcomer },
    { name: 'selling-bought-runs', path: '/app/selling/runs', as: market.buyer },
    { name: 'selling-bought-run', path: `/app/selling/runs/${runId}`, as: market.buyer },
  ]
}

const sender =
  (service: TestService, token: string) =>
  async <Body>(method: string, path: string, body: object): Promise<Body> => {
    const answer = await service.http<Body>(method, path, { token, body })
    if (answer.status > 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  }

const completeListing = (service: TestService, { agent: { id, owner } }: Market) =>
  sender(service, owner.token)('PATCH', `/agents/${id}`, {
    name: 'Release notes writer',
    description: 'Writes release notes from a list of changes.',
    categories: ['writing'],
    tags: ['release', 'changelog'],
    capabilities: ['release notes', 'summaries'],
    pricing: { model: 'fixed', amount: 0, currency: 'USD' },
    ap2Endpoint: `${service.baseUrl}/sandbox/pages/ok`,
    inputSchema: {
      type: 'object',
      properties: { changes: { type: 'string', description: 'One change in each line' } },
      required: ['changes'],
    },
  })

/** Two deals that are paid, one of them rated, and one that waits for the seller. */
async function work(market: Market): Promise<void> {
  for (const more of [
    { requestedService: 'Notes of version 1', budget: 120 },
    { requestedService: 'Notes of version 2', budget: 80 },
  ]) {
    const { id, escrowId } = await deliveredDeal(market, more)
    await must(market, 'buyer', '/payments/ap2/release', { escrowId })
    if (more.budget === 120)
      await must(market, 'buyer', `/agents/${market.agent.id}/reviews`, {
        negotiationId: id,
        rating: 5,
        comment: 'Clear and quick.',
      })
  }
  await heldDeal(market, { requestedService: 'Notes of version 2.1', budget: 60 })
}

/** A run that the buyer starts. */
async function run(service: TestService, { buyer, agent }: Market): Promise<string> {
  const body = { input: { changes: 'Faster start' }, jobReference: 'Notes of May' }
  const { execution } = await sender(service, buyer.token)<{ execution: { id: string } }>(
    'POST',
    `/agents/${agent.id}/execute`,
    body,
  )
  return execution.id
}
