import { join, resolve } from 'node:path'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import ipaddr from 'ipaddr.js'
import { isWeakPassword } from './weak-password.ts'

/** One environment variable: how it is read, what it is when absent, and what the documentation says. */
interface Setting<T> {
  read(raw: string): T
  fallback: T
  doc: string
  secret?: boolean
}

const text = (fallback: string, doc: string, secret = false): Setting<string> => ({ read: raw => raw, fallback, doc, secret })
const optional = (doc: string, secret = false): Setting<string | undefined> => ({ read: raw => raw, fallback: undefined, doc, secret })
const list = (doc: string): Setting<string[]> => ({ read: raw => raw.split(',').map(item => item.trim()).filter(Boolean), fallback: [], doc })

function integer(fallback: number, min: number, max: number, doc: string): Setting<number> {
  return { read: raw => whole(raw, min, max), fallback, doc }
}

function optionalInteger(min: number, max: number, doc: string): Setting<number | undefined> {
  return { read: raw => whole(raw, min, max), fallback: undefined, doc }
}

function whole(raw: string, min: number, max: number): number {
  const value = Number(raw)
  if (!/^-?\d+$/.test(raw) || value < min || value > max) throw new Error(`must be a whole number from ${min} to ${max}`)
  return value
}

function choice<T extends string>(fallback: T, options: readonly T[], doc: string): Setting<T> {
  const read = (raw: string): T => {
    const found = options.find(option => option === raw)
    if (!found) throw new Error(`must be one of ${options.join(', ')}`)
    return found
  }
  return { read, fallback, doc }
}

function flag(fallback: boolean, doc: string): Setting<boolean> {
  const read = (raw: string) => {
    if (raw !== 'true' && raw !== 'false') throw new Error('must be true or false')
    return raw === 'true'
  }
  return { read, fallback, doc }
}

function url(doc: string, secret = false, schemes: readonly string[] = []): Setting<string | undefined> {
  const read = (raw: string) => {
    if (!URL.canParse(raw)) throw new Error('must be a URL')
    if (schemes.length && !schemes.includes(new URL(raw).protocol)) throw new Error(`must begin with ${schemes.join(' or ')}`)
    return raw.replace(/\/$/, '')
  }
  return { read, fallback: undefined, doc, secret }
}

const WEB = ['http:', 'https:']
const POSTGRES = ['postgres:', 'postgresql:']

export const settings = {
  PORT: integer(3000, 0, 65_535, 'Port to listen on; 0 takes a free one.'),
  HOST: text('127.0.0.1', 'Address to listen on; 0.0.0.0 for every interface.'),
  PUBLIC_URL: url('Address that users reach; default http://HOST:PORT. Links in mails, claim links and token issuer.', false, WEB),
  FRONTEND_URL: url('A front end of your own: replaces the small server-rendered pages.', false, WEB),
  SVC_MODE: choice('sandbox', ['sandbox', 'production'], 'sandbox: test credit, movable clock, sandbox processor. production: none of them, and unsafe settings are refused.'),
  SVC_DATA_DIR: text('.data', 'Folder of the embedded database, the master key and the unpacked browser.'),
  DATABASE_URL: url('A PostgreSQL server (15 or newer) instead of the embedded one.', true, POSTGRES),
  DATABASE_DIRECT_URL: url('The same server without a pooler, for LISTEN and migrations.', true, POSTGRES),
  DATABASE_POOL_SIZE: integer(20, 2, 200, 'Connections of this process.'),
  REDIS_URL: url('Redis for rate limits that are exact over several instances.', true),
  SVC_MASTER_KEY: optional('64 hex digits that encrypt stored secrets; default: made on first start and kept in the data folder.', true),
  ADMIN_EMAIL: optional('E-mail of the first admin, made on start when there is none.'),
  ADMIN_PASSWORD: optional('Password of the first admin; without both, a one-time set-up link is printed.', true),
  ENABLE_AGENT_SIGNUP: flag(false, 'Whether POST /auth/register accepts userType AGENT. Agents can always use POST /auth/register-agent.'),
  VERIFIER_ALLOW_PRIVATE: list('host:port or host:* that the verifier may open although private. Trials only; refused in production.'),
  CHROMIUM_PATH: optional('A Chromium to use instead of the one in node_modules.'),
  SANDBOX_ALLOWED_HOSTS: list('Host names that sandbox mode answers to, beside localhost, IP addresses and the host of PUBLIC_URL.'),
  CORS_ORIGINS: list('Origins that browsers may call from.'),
  HSTS_INCLUDE_SUBDOMAINS: flag(true, 'Whether browsers must use https for the subdomains of PUBLIC_URL\'s host too; false where one of them is served without https.'),
  TRUSTED_PROXIES: list('Addresses whose X-Forwarded-For is believed.'),
  RATE_LIMIT_IP_PER_MIN: optionalInteger(1, 1_000_000, 'Requests without an accepted credential per minute and address; 600 in production, off in sandbox mode unless set.'),
  RATE_LIMIT_FAILED_PER_MIN: optionalInteger(1, 1_000_000, 'Refused credentials, passwords and webhook signatures per minute and address; 60 in production, off in sandbox mode unless set.'),
  RATE_LIMIT_SIGN_IN_PER_MIN: optionalInteger(1, 1_000_000, 'Sign-ins and registrations by password per minute and address; 60 in production, off in sandbox mode unless set.'),
  RATE_LIMIT_USER_PER_MIN: optionalInteger(1, 1_000_000, 'Requests per minute and account; 3000 in production, off in sandbox mode unless set.'),
  PROCESSOR_WEBHOOK_SECRET: optional('Secret of the processor\'s signed notifications; default: made on first start.', true),
  BASIC_TIER_LIMIT_USD: integer(1000, 0, 1_000_000_000, 'Deals above this amount need a seller of trust tier BASIC.'),
  ADMIN_TRANSFER_LIMIT_USD: integer(1000, 0, 1_000_000_000, 'What one admin moves with POST /wallets/transfer in a day; beyond it a transfer waits for another admin. Each amount above it that leaves suspense or unclaimed funds waits too.'),
  TRANSFER_STEP_UP_USD: integer(100, 0, 1_000_000_000, 'What an account sends to wallets of others in a day without a sign-in or step-up of the last five minutes.'),
  TRUST_MIN_COMPLETION_USD: integer(0, 0, 1_000_000_000, 'Completed deals below this amount do not count for the tiers BASIC and VERIFIED.'),
  SMTP_URL: url('SMTP server that mail goes through, such as smtps://user:password@host; required in production. Without it sandbox mode shows mails at /sandbox/mail.', true, ['smtp:', 'smtps:']),
  MAIL_FROM: optional('Sender of mails; default no-reply@ the host of PUBLIC_URL.'),
  INTERNAL_SECRET: optional('Shared secret of the web front end for POST /auth/session/exchange (32 characters or more); without it nobody can exchange.', true),
  OIDC_ISSUER: url('OpenID Connect provider that people may sign in with; its redirect address is PUBLIC_URL/auth/identity-provider/callback.', false, WEB),
  OIDC_CLIENT_ID: optional('Our client id at that provider.'),
  OIDC_CLIENT_SECRET: optional('Our client secret at that provider.', true),
  AGENT_CHALLENGE: choice('none', ['none', 'pow', 'bot-token'], 'What POST /auth/register-agent asks for: nothing, a proof of work, or a token that BOT_VERIFY_URL confirms.'),
  BOT_VERIFY_URL: url('Where a bot-challenge token is confirmed (the siteverify call of Turnstile, hCaptcha or reCAPTCHA).', false, WEB),
  BOT_VERIFY_SECRET: optional('Our secret there.', true),
  METRICS_TOKEN: optional('What Prometheus sends as its bearer token to /metrics; without it sandbox mode answers everybody and production nobody.', true),
  LEDGER_ANCHOR_FILE: optional('File that each new head of the ledger\'s and the audit log\'s chain is appended to, best on storage that only appends; svc audit verify compares it.'),
  LEDGER_ANCHOR_URL: url('Address that each new head is sent to with POST, as JSON: chain, block, hash, at.', true, WEB),
  SVC_BACKUP_PASSPHRASE: optional('Passphrase of svc backup and svc restore, 12 characters or more; without it they ask on the terminal. The service does not need it.', true),
  LOG_LEVEL: choice('info', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'How much is logged (JSON lines on standard output).'),
} satisfies Record<string, Setting<unknown>>

type Settings = typeof settings
export type Config = { readonly [Name in keyof Settings]: ReturnType<Settings[Name]['read']> | Settings[Name]['fallback'] } & {
  readonly sandbox: boolean
}

export class ConfigError extends Error {
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`The configuration has ${faults.length === 1 ? 'a fault' : `${faults.length} faults`}:\n${faults.map(line => `  - ${line}`).join('\n')}`)
    this.faults = faults
  }
}

/** Reads the whole environment; throws one ConfigError that names every fault. An empty value counts as absent. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const faults: string[] = []
  const config: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(settings) as [string, Setting<unknown>][]) {
    const raw = env[name]?.trim()
    try {
      config[name] = raw ? setting.read(raw) : setting.fallback
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}${setting.secret ? '' : `, not "${raw}"`}`)
    }
  }
  config.sandbox = config.SVC_MODE === 'sandbox'
  const complete = config as unknown as Config
  // A value that could not be read is absent to the rules below: it is reported once.
  const unread = new Set(faults.map(fault => fault.split(' ')[0]))
  faults.push(...inconsistencies(complete).filter(fault => !unread.has(fault.split(' ')[0])))
  if (faults.length) throw new ConfigError(faults)
  return complete
}

function inconsistencies(config: Config): string[] {
  const faults: string[] = []
  if (config.SVC_MASTER_KEY && !/^[0-9a-f]{64}$/i.test(config.SVC_MASTER_KEY)) faults.push('SVC_MASTER_KEY must be 64 hex digits (openssl rand -hex 32)')
  if (Boolean(config.ADMIN_EMAIL) !== Boolean(config.ADMIN_PASSWORD)) faults.push('ADMIN_EMAIL and ADMIN_PASSWORD go together: set both or neither')
  if (config.ADMIN_PASSWORD && config.ADMIN_PASSWORD.length < 8) faults.push('ADMIN_PASSWORD must have at least 8 characters')
  if (config.ADMIN_EMAIL && !(fullFormats.email as RegExp).test(config.ADMIN_EMAIL)) faults.push('ADMIN_EMAIL must be an e-mail address')
  for (const proxy of config.TRUSTED_PROXIES.filter(each => !isNetwork(each))) faults.push(`TRUSTED_PROXIES must hold addresses or networks such as 10.0.0.0/8, not "${proxy}"`)
  for (const origin of config.CORS_ORIGINS.filter(each => !isOrigin(each))) faults.push(`CORS_ORIGINS must hold origins such as https://app.example.com, not "${origin}"`)
  faults.push(...incomplete(config))
  return config.SVC_MODE === 'production' ? [...faults, ...unsafeInProduction(config)] : faults
}

// The names are those that proxy-addr, which reads the setting, knows too.
const isNetwork = (text: string): boolean => ['loopback', 'linklocal', 'uniquelocal'].includes(text) || ipaddr.isValid(text) || ipaddr.isValidCIDR(text)
const isOrigin = (text: string): boolean => text === '*' || (URL.canParse(text) && new URL(text).origin === text && WEB.includes(new URL(text).protocol))

function incomplete(config: Config): string[] {
  const faults: string[] = []
  const oidc = [config.OIDC_ISSUER, config.OIDC_CLIENT_ID, config.OIDC_CLIENT_SECRET].filter(Boolean).length
  if (oidc !== 0 && oidc !== 3) faults.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET go together: set all or none')
  if (config.AGENT_CHALLENGE === 'bot-token' && !(config.BOT_VERIFY_URL && config.BOT_VERIFY_SECRET)) {
    faults.push('AGENT_CHALLENGE=bot-token needs BOT_VERIFY_URL and BOT_VERIFY_SECRET')
  }
  faults.push(...tooShort('INTERNAL_SECRET', config.INTERNAL_SECRET))
  return faults
}

const SECRET_LENGTH = 32
const tooShort = (name: string, secret?: string): string[] =>
  secret && secret.length < SECRET_LENGTH ? [`${name} must have at least ${SECRET_LENGTH} characters (openssl rand -hex 32)`] : []

function unsafeInProduction(config: Config): string[] {
  const faults: string[] = []
  if (config.VERIFIER_ALLOW_PRIVATE.length) faults.push('VERIFIER_ALLOW_PRIVATE must be empty in production: it lets strangers reach private addresses')
  if (!config.PUBLIC_URL) faults.push('PUBLIC_URL must be set in production')
  else if (!config.PUBLIC_URL.startsWith('https://')) faults.push('PUBLIC_URL must be https in production')
  if (!config.PROCESSOR_WEBHOOK_SECRET) faults.push('PROCESSOR_WEBHOOK_SECRET must be set in production')
  else if (/sandbox|test/i.test(config.PROCESSOR_WEBHOOK_SECRET)) faults.push('PROCESSOR_WEBHOOK_SECRET is a sandbox secret')
  for (const name of ['PROCESSOR_WEBHOOK_SECRET', 'METRICS_TOKEN'] as const) faults.push(...tooShort(name, config[name]))
  if (config.ADMIN_PASSWORD && isWeakPassword(config.ADMIN_PASSWORD, config.ADMIN_EMAIL ? [config.ADMIN_EMAIL] : []))
    faults.push('ADMIN_PASSWORD is too easy to guess: a common password, keys in a row, or made of ADMIN_EMAIL')
  if (!config.SMTP_URL) faults.push('SMTP_URL must be set in production: accounts are confirmed and recovered by mail')
  // Tokens travel to them.
  for (const name of ['OIDC_ISSUER', 'FRONTEND_URL', 'BOT_VERIFY_URL'] as const) if (config[name] && !config[name].startsWith('https://')) faults.push(`${name} must be https in production`)
  if (config.CORS_ORIGINS.includes('*')) faults.push('CORS_ORIGINS must name origins in production, not *')
  return faults
}

const ROOT = join(import.meta.dirname, '../..')

/** The absolute data folder: a relative one is relative to the project, wherever the command was given. */
export const dataDirOf = (config: Config): string => resolve(ROOT, config.SVC_DATA_DIR)
