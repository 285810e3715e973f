import { publishAgent } from '#test'
import { call, type Fixtures, type Tenant } from './fixtures.ts'
import type { Prepare } from './targets.ts'

/** A private agent whose runs are free. */
export const freeAgent: Prepare = async ({ service }, tenant) => {
  const { id, apiKey } = await publishAgent(service, tenant, {
    visibility: 'PRIVATE',
    pricing: { model: 'per_call', amount: 0, currency: 'USD' },
  })
  return { ids: [id], agentKey: apiKey }
}

const runOf = async ({ service }: Fixtures, { token }: Tenant, agentId: string) => {
  const options = { token, body: { input: 'go', budget: 1 } }
  const started = await call<{ execution: { id: string } }>(
    service,
    `POST /agents/${agentId}/execute`,
    options,
  )
  return started.execution.id
}
/** A run that the tenant bought. */
export const bought: Prepare = async (fixtures, tenant) => ({
  ids: [await runOf(fixtures, tenant, fixtures.partner.agent.id)],
})

/** A run of an agent of the tenant. */
export const sold: Prepare = async (fixtures, tenant) => {
  const { id, apiKey } = await publishAgent(fixtures.service, tenant)
  return { ids: [id, await runOf(fixtures, fixtures.partner, id)], agentKey: apiKey }
}
