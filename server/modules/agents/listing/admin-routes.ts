import { Type } from '#platform/http/type'
import { command, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { reinstateAgent, reviewAgent, suspendAgent } from './listing.ts'
import { agentRecord } from '../record.ts'
import { AgentPath, AgentRecord } from '../schema.ts'

const ReasonBody = Type.Object({
  reason: Type.Optional(
    Type.String({ maxLength: 2000, description: 'Why, for the audit log and the owner' }),
  ),
})

const ReviewBody = Type.Object({
  decision: Type.Enum(['APPROVED', 'REJECTED', 'NEEDS_WORK', 'TRUSTED'], {
    description:
      'APPROVED publishes the agent, NEEDS_WORK returns it to its owner, TRUSTED raises a VERIFIED agent to that tier',
  }),
  notes: Type.Optional(Type.String({ maxLength: 2000, description: 'Note for the owner' })),
})

/** Reviews, suspensions and reinstatements of agents by an admin. */
export function adminRoutes(app: App, { clock }: Services): void {
  command(app, {
    method: 'POST',
    url: '/agents/{id}/review',
    id: 'reviewAgent',
    tag: 'Agents',
    summary: 'Review an agent',
    access: { accept: ['jwt'], role: 'ADMIN' },
    params: AgentPath,
    body: ReviewBody,
    example: { decision: 'APPROVED' },
    success: [201, AgentRecord],
    errors: [409],
    run: async (tx, ctx, { params, body }) =>
      agentRecord(await reviewAgent(tx, ctx, params.id, body), clock.real()),
  })
  const commands = { suspend: suspendAgent, reinstate: reinstateAgent }
  for (const verb of ['suspend', 'reinstate'] as const) {
    command(app, {
      method: 'POST',
      url: `/admin/agents/{id}/${verb}`,
      id: `${verb}Agent`,
      tag: 'Admin',
      access: { accept: ['jwt'], role: 'ADMIN' },
      summary: verb === 'suspend' ? 'Suspend an agent' : 'Reinstate a suspended agent',
      params: AgentPath,
      body: ReasonBody,
      example: { reason: 'Case 17' },
      success: [200, AgentRecord],
      errors: [409],
      run: async (tx, ctx, { params, body }) =>
        agentRecord(await commands[verb](tx, ctx, params.id, body.reason), clock.real()),
    })
  }
}
