import type { RequestContext, RoutingKeyPrincipal } from '#platform/http/principal'
import type { Queryable } from '#platform/kernel/db'
import { definePort } from '#platform/kernel/ports'

/** Throws unless the caller may bind a service account to the agent. */
export const agentBinding = definePort<{ ctx: RequestContext; agentId: string }, void>(
  'identity.agent-binding',
  'one',
)

/** Proves the text of an `rk_` key. ApiError 401 if it is unknown, revoked or expired, 403 if its account is suspended. */
export const routingKeyProof = definePort<string, RoutingKeyPrincipal, Queryable>(
  'identity.routing-key-proof',
  'one',
)

/** What an admin requests and another admin approves. Each kind has one executor. */
export const APPROVAL_KINDS = [
  'account.role',
  'wallet.transfer',
  'wallet.promotion',
  'wallets.unclaimed',
  'payments.suspense',
  'payouts.payout',
  'x402.suspense',
  'payments.receivable',
  'gateway.invoice',
] as const
export type ApprovalKind = (typeof APPROVAL_KINDS)[number]

export interface ApprovedRequest {
  approvalId: string
  payload: Record<string, string>
  requestedBy: string
  approvedBy: string
}

/**
 * Executes an approved request of one kind, in the transaction of the approval, and returns details for the audit log. If
 * it throws, the approval stays pending.
 */
export const approvalExecutor = definePort<ApprovedRequest, Record<string, string | null>, ApprovalKind>(
  'identity.approval-executor',
  'by-key',
  APPROVAL_KINDS,
)
