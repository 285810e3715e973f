import { publishAgent } from '#test'
import { call, type Fixtures, type Tenant } from './fixtures.ts'
import type { Prepare } from './targets.ts'

const publishNeed = async ({ service }: Fixtures, { token }: Tenant): Promise<string> =>
  (await call(service, 'POST /market/needs', { token, body: { title: 'Notes', budget: 10 } })).id

const makeOffer = async (
  { service }: Fixtures,
  { token }: Tenant,
  target: { needId: string; agentId: string },
) => {
  const body = { agentId: target.agentId, price: 1 }
  return (await call(service, `POST /market/needs/${target.needId}/offers`, { token, body })).id
}

/** A need of the tenant. */
export const need: Prepare = async (fixtures, tenant) => ({ ids: [await publishNeed(fixtures, tenant)] })

/** A need of the partner, and an agent of the tenant. */
export const foreignNeed: Prepare = async (fixtures, tenant) => {
  const { id, apiKey } = await publishAgent(fixtures.service, tenant)
  return { ids: [await publishNeed(fixtures, fixtures.partner), id], agentKey: apiKey }
}

/** An offer to a need of the tenant. */
export const received: Prepare = async (fixtures, tenant) => {
  const needId = await publishNeed(fixtures, tenant)
  const agent = await publishAgent(fixtures.service, fixtures.partner)
  return { ids: [await makeOffer(fixtures, fixtures.partner, { needId, agentId: agent.id })] }
}

/** An offer by an agent of the tenant. */
export const made: Prepare = async (fixtures, tenant) => {
  const needId = await publishNeed(fixtures, fixtures.partner)
  const { id: agentId, apiKey } = await publishAgent(fixtures.service, tenant)
  return { ids: [await makeOffer(fixtures, tenant, { needId, agentId })], agentKey: apiKey }
}

/** A file in the vault of the tenant. */
export const artifact: Prepare = async ({ service }, { token }) => ({
  ids: [(await call(service, 'POST /vault', { token, body: { any: 'content' } })).id],
})
