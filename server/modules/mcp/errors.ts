import { errorTable } from '#platform/kernel/errors'

export const MCP = errorTable({
  ORIGIN_NOT_ALLOWED: [403, 'Origin not allowed'],
  MCP_SESSION_NOT_FOUND: [404, 'Session not found'],
  NOT_CONFIRMED: [403, 'Not confirmed'],
  INVALID_ARGUMENTS: [400, 'Invalid arguments'],
  UNKNOWN_TOOL: [404, 'Unknown tool'],
})
