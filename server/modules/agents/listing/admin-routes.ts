import { Type } from '#platform/http/type'
import { command, type App } from '#platform/http/operations'
import type { Services } from '#platform/kernel/services'
import { reinstateAgent, reviewAgent, suspendAgent } from './listing.ts'
import { agentRecord } from '../record.ts'
import { AgentPath, AgentRecord } from '../schema.ts'

const ReasonBody = Type.Object({ reason: Type.Optional(Type.String({ maxLength: 2000 })) })

const ReviewBody = Type.Object({
  decision: Type.Enum(['APPROVED', 'REJECTED', 'NEEDS_WORK', 'TRUSTED']),
  notes: Type.Optional(Type.String({ maxLength: 2000 })),
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
