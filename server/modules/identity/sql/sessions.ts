import { sql } from '#platform/sql'
import type { Role, UserType } from '../account.ts'

export const insertSession = (session: {
  id: string; accountId: string; method: string; keyId: string | null; ip: string | null; userAgent: string | null; real: Date
}) => sql`
  insert into identity_session (id, account_id, method, key_id, ip, user_agent, created_at, last_used_at)
  values (${session.id}, ${session.accountId}, ${session.method}, ${session.keyId}, ${session.ip}, ${session.userAgent}, ${session.real}, ${session.real})`

export const insertRefreshToken = (token: { hash: Buffer; sessionId: string; real: Date; expiresAt: Date }) => sql`
  insert into identity_refresh_token (hash, session_id, created_at, expires_at) values (${token.hash}, ${token.sessionId}, ${token.real}, ${token.expiresAt})`

export interface SessionHolder {
  accountId: string
  userType: UserType
  role: Role
  accountStatus: 'ACTIVE' | 'SUSPENDED' | 'DELETED'
  endedAt: Date | null
}

export const sessionHolder = (sessionId: string) => sql<SessionHolder>`
  select a.id as "accountId", a.user_type as "userType", a.role, a.status as "accountStatus", s.ended_at as "endedAt"
  from identity_session s join identity_account a on a.id = s.account_id where s.id = ${sessionId}`
