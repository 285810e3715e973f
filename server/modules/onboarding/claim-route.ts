import { Type } from '#platform/http/type'
import { AgentRecord, agentRecord } from '#agents'
import { command, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { claimAgent } from './claim-agent.ts'

/** A person claims an agent with the token of a claim link. */
export function claimRoute(app: App, services: Services): void {
  command(app, {
    method: 'POST',
    url: '/agents/claim/{token}',
    id: 'claimAgent',
    tag: 'Agents',
    summary: 'Claim an agent',
    access: { accept: ['jwt'], human: true },
    params: Type.Object({ token: Type.String({ maxLength: 200 }) }),
    success: [200, AgentRecord],
    errors: [409],
    run: async (tx, ctx, { params }) => {
      const agent = await claimAgent(tx, ctx, params.token, services)
      return agentRecord(agent, services.clock.real())
    },
  })
}
