import type { Machine } from '#platform/kernel/machine'

export const APPROVAL_STATUSES = ['PENDING', 'APPROVED', 'REJECTED', 'EXPIRED'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]
export type ApprovalEvent = 'approve' | 'reject' | 'expire'
export type ApprovalActor = 'admin' | 'timer' | 'requester'

export const approvalMachine: Machine<ApprovalStatus, ApprovalEvent, ApprovalActor> = {
  name: 'approval',
  table: 'identity_approval',
  states: APPROVAL_STATUSES,
  terminal: ['APPROVED', 'REJECTED', 'EXPIRED'],
  timers: ['timer'],
  edges: [
    { from: ['PENDING'], event: 'approve', by: ['admin'], to: 'APPROVED' },
    { from: ['PENDING'], event: 'reject', by: ['admin'], to: 'REJECTED' },
    { from: ['PENDING'], event: 'expire', by: ['timer', 'requester'], to: 'EXPIRED' },
  ],
}
