import { json, sql } from '#platform/kernel/sql'

export interface TaskRow {
  /** The id of the task. */
  negotiationId: string
  agentId: string
  accountId: string
  contextId: string
  messageId: string
  /** The parts of the message; null once the account is deleted. */
  parts: readonly object[] | null
  createdAt: Date
}

/** One message at a time: a client that repeats one gets the task that it began. */
export const lockMessage = (accountId: string, messageId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`a2a message ${accountId} ${messageId}`}, 0))`

export const insertTask = (row: TaskRow) => sql`
  insert into a2a_task (negotiation_id, agent_id, account_id, context_id, message_id, parts, created_at)
  values (${row.negotiationId}, ${row.agentId}, ${row.accountId}, ${row.contextId}, ${row.messageId}, ${json(row.parts)}::jsonb,
    ${row.createdAt})`

export const taskById = (id: string) => sql<TaskRow>`select * from a2a_task where negotiation_id = ${id}`
export const taskOfMessage = (accountId: string, messageId: string) =>
  sql<TaskRow>`select * from a2a_task where account_id = ${accountId} and message_id = ${messageId}`

interface MessageRow {
  accountId: string
  messageId: string
  /** Of the task that the message was sent to. */
  negotiationId: string
  createdAt: Date
}

export const insertMessage = (row: MessageRow) => sql`
  insert into a2a_message (account_id, message_id, negotiation_id, created_at)
  values (${row.accountId}, ${row.messageId}, ${row.negotiationId}, ${row.createdAt})`
export const messageOf = (accountId: string, messageId: string) =>
  sql<MessageRow>`select * from a2a_message where account_id = ${accountId} and message_id = ${messageId}`

export const deleteMessagesOf = (accountId: string) =>
  sql`delete from a2a_message where account_id = ${accountId}`
export const eraseTasksOf = (accountId: string) => sql`
  update a2a_task set parts = null, context_id = negotiation_id::text, message_id = negotiation_id::text
  where account_id = ${accountId}`
