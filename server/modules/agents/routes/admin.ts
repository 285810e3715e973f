import { Type } from 'typebox'
import { route, type App } from '#platform/http/route'
import type { Services } from '#platform/services'
import { reinstateAgent, suspendAgent } from '../listing.ts'
import { agentRecord } from '../record.ts'
import { AgentPath, AgentRecord } from '../schema.ts'

const ReasonBody = Type.Object({ reason: Type.Optional(Type.String({ maxLength: 2000 })) })

/** An operator takes an agent out of trade and back; both act at once and stand in the audit log. */
export function adminRoutes(app: App, { db, clock }: Services): void {
  const acts = { suspend: suspendAgent, reinstate: reinstateAgent }
  for (const verb of ['suspend', 'reinstate'] as const) {
    route(app, {
      method: 'POST',
      url: `/admin/agents/{id}/${verb}`,
      id: `${verb}Agent`,
      tag: 'Admin',
      auth: 'admin',
      summary:
        verb === 'suspend' ? 'Suspend an agent' : 'Reinstate a suspended agent',
      params: AgentPath,
      body: ReasonBody,
      example: { reason: 'Complaint 17' },
      reply: { 200: AgentRecord },
      errors: [409],
      handle: async ({ actor, params, body, request: { ip, id: requestId } }) =>
        agentRecord(
          await db.transaction(tx => acts[verb](tx, actor, params.id, { ...body, ip, requestId })),
          clock.real(),
        ),
    })
  }
}
