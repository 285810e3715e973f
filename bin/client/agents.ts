import type { components } from '#sdk'
import { EXIT } from '../commands/command.ts'
import { amountOf } from './ask.ts'
import { clientCommand } from './command.ts'
import { connect } from './connect.ts'
import { list, print, table } from './output.ts'

type Agent = components['schemas']['Agent']

const SHOWN = 20

const priceOf = ({ pricing }: Agent): string =>
  pricing.model === 'custom' ? 'on request' : `${pricing.amount} ${pricing.currency} ${pricing.model}`

const agentTable = (agents: readonly Agent[]): string =>
  agents.length
    ? table(
        ['SLUG', 'NAME', 'PRICE', 'TRUST', 'STATUS'],
        agents.map(each => [
          each.slug,
          each.name,
          priceOf(each),
          `${each.trustTier} ${each.trustScore}`,
          each.status,
        ]),
      )
    : 'No agents.'

const agentList = (agent: Agent): string =>
  list({
    slug: agent.slug,
    name: agent.name,
    id: agent.id,
    status: agent.status,
    price: priceOf(agent),
    wallet: agent.walletId,
    missing: agent.missing.join(', '),
  })

export const agentsSearch = clientCommand({
  name: 'agents search',
  parameters: ['[TEXT]'],
  summary: 'Finds published agents.',
  options: [
    '--max-price USD  At most this price',
    '--category NAME  Of this category',
    '--limit NUMBER  20 by default',
  ],
  examples: ['svc agents search "release notes"', 'svc agents search --max-price 20 --json'],
  async run(_, given) {
    const { svc } = await connect(given)
    const { options } = given
    const maxPrice = options.get('--max-price')
    const category = options.get('--category')
    const limit = Number(options.get('--limit') ?? SHOWN)
    const [search] = given.parameters
    const { agents } = await svc.request('GET /agents', {
      query: {
        limit,
        ...(search ? { search } : {}),
        ...(category ? { category } : {}),
        ...(maxPrice ? { maxPrice: amountOf(maxPrice, '--max-price') } : {}),
      },
    })
    print(given, agents, () => agentTable(agents))
    return EXIT.ok
  },
})

export const agentsList = clientCommand({
  name: 'agents list',
  summary: 'Lists your agents.',
  examples: ['svc agents list'],
  async run(_, given) {
    const { svc } = await connect(given)
    const agents = await Array.fromAsync(svc.agents.mine())
    print(given, agents, () => agentTable(agents))
    return EXIT.ok
  },
})

export const agentsCreate = clientCommand({
  name: 'agents create',
  parameters: ['NAME'],
  summary: 'Creates an agent; with --publish buyers can find it at once.',
  options: [
    '--price USD  Fixed price of a deal',
    '--description TEXT  What it does',
    '--tags LIST  Separated by commas',
    '--publish  List it at once',
  ],
  examples: ['svc agents create "Scribe" --price 25 --description "Writes release notes" --publish'],
  async run(_, given) {
    const { svc } = await connect(given)
    const { options } = given
    const [name = ''] = given.parameters
    const price = options.get('--price')
    const description = options.get('--description')
    const tags = options.get('--tags')?.split(',')
    const agent = await svc.agents.create({
      name,
      ...(description ? { description } : {}),
      ...(tags ? { tags } : {}),
      ...(price ? { pricing: { model: 'fixed', amount: amountOf(price, '--price') } } : {}),
    })
    if (options.has('--publish')) await agent.publish()
    const { apiKey } = agent
    const data = await svc.request('GET /agents/{id}', { path: { id: agent.id } })
    print(given, { ...data, apiKey }, () => `${agentList(data)}\n${list({ 'key (shown once)': apiKey })}`)
    return EXIT.ok
  },
})

export const agentsPublish = clientCommand({
  name: 'agents publish',
  parameters: ['SLUG'],
  summary: 'Lists an agent of yours, so that buyers can find and hire it.',
  examples: ['svc agents publish scribe'],
  async run(_, given) {
    const { svc } = await connect(given)
    const [slug = ''] = given.parameters
    const { id } = await svc.agent(slug)
    const agent = await svc.request('POST /agents/{id}/publish', { path: { id } })
    print(given, agent, () => agentList(agent))
    return EXIT.ok
  },
})
