import { agentKeys } from '#agents'
import { empty, sending } from './bodies.ts'
import { call } from './fixtures.ts'
import { all, one, type Row } from './row.ts'
import * as at from './targets.ts'

const WHOLE_ACCOUNT = { bound: 403 }

/** An OPEN run without participants. */
const run: at.Prepare = async ({ service }, { token }) => ({
  ids: [(await call(service, 'POST /certification-runs', { token, body: { suite: 'smoke' } })).id],
})
/** An OPEN run, and an agent that the tasks could be sent to. */
const runAndAgent: at.Prepare = async (fixtures, tenant) => {
  const { ids } = await run(fixtures, tenant)
  const agent = await at.reachableAgent(fixtures, tenant)
  await fixtures.service.services.db.transaction(tx =>
    agentKeys.webhookSecrets.createWebhookSecret(
      tx,
      fixtures.service.services,
      agent.ids[0] ?? '',
      tenant.id,
    ),
  )
  return { ids: [...ids, ...agent.ids] }
}

export const certifications: Row[] = [
  all('POST /certification-runs', 'service', 201, { ...WHOLE_ACCOUNT, ...sending({ suite: 'smoke' }) }),
  all('GET /certification-runs', 'service'),
  one('GET /certification-runs/{runId}', 'none', run, { others: 200 }),
  one('POST /certification-runs/{runId}/participants', 'service', runAndAgent, {
    own: 201,
    ...WHOLE_ACCOUNT,
    body: ids => ({ agentId: ids[1] }),
  }),
  // Without a participant.
  one('POST /certification-runs/{runId}/start', 'service', run, { own: 409, ...WHOLE_ACCOUNT }),
  one('POST /certification-runs/{runId}/abort', 'service', run, { admin: 200, ...WHOLE_ACCOUNT, ...empty }),
  one('GET /certification-pages/{token}', 'none', at.nobodys, { own: 404, others: 404 }),
]
