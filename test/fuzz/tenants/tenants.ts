import { createHmac } from 'node:crypto'
import type { Credential } from '../replies/request.ts'

export const PASSWORD = 'correct horse battery staple'
export const SECRETS = {
  INTERNAL_SECRET: 'internal-secret-of-the-fuzzer-32-chars',
  PROCESSOR_WEBHOOK_SECRET: 'whsec_of_the_fuzzer_0123456789abcdef',
  X402_WEBHOOK_SECRET: 'chain-secret-of-the-fuzzer-32-characters',
}

/** Somebody with an account, an agent, an organization and every kind of credential. */
export interface Tenant {
  index: number
  tag: string
  email: string
  userId: string
  isAdmin: boolean
  /** The account's own identifiers, by kind. */
  about: Map<string, string>
  credentials: Credential[]
}

const bearer = (kind: string, token: string): Credential => ({
  kind,
  headers: { authorization: `Bearer ${token}` },
})
const header = (kind: string, name: string, value: string): Credential => ({
  kind,
  headers: { [name]: value },
})

export const NONE: Credential = { kind: 'none', headers: {} }
export const accessToken = (token: string): Credential => bearer('access token', token)

/** The ways to send a key, by its prefix. */
export function keyCredentials(key: string, kind = ''): Credential[] {
  const named = (text: string) => (kind ? `${kind} ${text}` : text)
  if (key.startsWith('sa_')) return [header(named('agent key'), 'x-agent-api-key', key)]
  if (key.startsWith('rk_'))
    return [bearer(named('routing key'), key), header(named('routing key'), 'x-api-key', key)]
  return [
    bearer(named('account key'), key),
    header(named('account key'), 'x-api-key', key),
    header(named('account key'), 'x-agent-api-key', key),
  ]
}

const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex')

export const INTERNAL = header('internal secret', 'x-internal-secret', SECRETS.INTERNAL_SECRET)
export const SIGNATURE: Credential = {
  kind: 'signature',
  headers: {},
  sign: body => {
    const at = Math.floor(Date.now() / 1000)
    return {
      'payment-processor-signature': `t=${at},v1=${hmac(SECRETS.PROCESSOR_WEBHOOK_SECRET, `${at}.${body}`)}`,
      'x-webhook-signature': `sha256=${hmac(SECRETS.X402_WEBHOOK_SECRET, body)}`,
    }
  },
}

/** What a credential is accepted as, by the security schemes of the document. */
export const SCHEME_OF: readonly (readonly [kind: RegExp, scheme: string])[] = [
  [/^(?:access token|session cookie)$/, 'accessToken'],
  [/account key$/, 'accountKey'],
  [/agent key$/, 'agentKey'],
  [/routing key$/, 'routingKey'],
  [/^signature$/, 'processorSignature'],
  [/^internal secret$/, 'internalSecret'],
]
