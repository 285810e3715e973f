export { approvalEnded, type EndedApproval } from '../events.ts'
export { approvalExecutor, type ApprovedRequest } from '../ports.ts'
export { ApprovalRecord } from '../schema.ts'
export { requestApproval, withdrawApproval } from './approval.ts'
