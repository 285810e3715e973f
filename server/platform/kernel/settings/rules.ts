import { fullFormats } from 'ajv-formats/dist/formats.js'
import ipaddr from 'ipaddr.js'
import type { Config } from '../config.ts'
import { isWeakPassword } from '../password/weak-password.ts'
import { WEB } from './kinds.ts'
import { isOnThisMachine, plaintextProblems } from './plaintext.ts'

/** What the settings say together that cannot be: one sentence for each problem. */
export function inconsistencies(config: Config): string[] {
  const problems: string[] = []
  if (config.SVC_MASTER_KEY && !/^[0-9a-f]{64}$/i.test(config.SVC_MASTER_KEY))
    problems.push('SVC_MASTER_KEY must be 64 hex digits (openssl rand -hex 32)')
  if (Boolean(config.ADMIN_EMAIL) !== Boolean(config.ADMIN_PASSWORD))
    problems.push('ADMIN_EMAIL and ADMIN_PASSWORD go together: set both or neither')
  if (config.ADMIN_PASSWORD && config.ADMIN_PASSWORD.length < 8)
    problems.push('ADMIN_PASSWORD must have at least 8 characters')
  if (config.ADMIN_EMAIL && !isEmail(config.ADMIN_EMAIL))
    problems.push('ADMIN_EMAIL must be an email address')
  for (const proxy of config.TRUSTED_PROXIES.filter(each => !isNetwork(each)))
    problems.push(`TRUSTED_PROXIES must hold addresses or networks such as 10.0.0.0/8, not "${proxy}"`)
  for (const origin of config.CORS_ORIGINS.filter(each => !isOrigin(each)))
    problems.push(`CORS_ORIGINS must hold origins such as https://app.example.com, not "${origin}"`)
  for (const contact of config.SECURITY_CONTACT.filter(each => !isContact(each)))
    problems.push(
      `SECURITY_CONTACT must hold addresses such as mailto:security@example.com or https://example.com/report, not "${contact}"`,
    )
  problems.push(...incomplete(config))
  return config.SVC_MODE === 'production' ? [...problems, ...unsafeInProduction(config)] : problems
}

const isEmail = (text: string): boolean => fullFormats.email instanceof RegExp && fullFormats.email.test(text)
// The names are those that proxy-addr, which reads the setting, knows too.
const isNetwork = (text: string): boolean =>
  ['loopback', 'linklocal', 'uniquelocal'].includes(text) || ipaddr.isValid(text) || ipaddr.isValidCIDR(text)
const isOrigin = (text: string): boolean =>
  text === '*' ||
  (URL.canParse(text) && new URL(text).origin === text && WEB.includes(new URL(text).protocol))

// Each is one line of a file that others read.
const isContact = (text: string): boolean =>
  /^[!-~]+$/.test(text) &&
  URL.canParse(text) &&
  ['mailto:', 'tel:', 'https:'].includes(new URL(text).protocol)

function incomplete(config: Config): string[] {
  const problems: string[] = []
  const oidc = [config.OIDC_ISSUER, config.OIDC_CLIENT_ID, config.OIDC_CLIENT_SECRET].filter(Boolean).length
  if (oidc !== 0 && oidc !== 3)
    problems.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET go together: set all or none')
  if (config.AGENT_CHALLENGE === 'bot-token' && !(config.BOT_VERIFY_URL && config.BOT_VERIFY_SECRET)) {
    problems.push('AGENT_CHALLENGE=bot-token needs BOT_VERIFY_URL and BOT_VERIFY_SECRET')
  }
  for (const name of ['INTERNAL_SECRET', 'X402_WEBHOOK_SECRET'] as const)
    problems.push(...tooShort(name, config[name]))
  if (config.SVC_CHAIN === 'local' && config.CHAIN_RPC_URL)
    problems.push('SVC_CHAIN=local runs its own node: remove CHAIN_RPC_URL')
  return [...problems, ...processorProblems(config)]
}

const isTestKey = (key: string): boolean => /^(?:sk|rk)_test_/.test(key)

/** Real money needs a real processor, and a trial must not move any. */
function processorProblems(config: Config): string[] {
  const { PROCESSOR, STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secrets, STRIPE_API_URL: api } = config
  const isProduction = config.SVC_MODE === 'production'
  if (PROCESSOR === 'sandbox')
    return isProduction
      ? [
          'PROCESSOR must be stripe in production, with STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET (docs/OPERATIONS.md, "Going live with Stripe"): the sandbox processor moves no money',
        ]
      : []
  const problems: string[] = []
  if (!key) problems.push('STRIPE_SECRET_KEY must be set for PROCESSOR=stripe')
  else if (isProduction && isTestKey(key))
    problems.push('STRIPE_SECRET_KEY is a test key: in production, test cards would credit wallets')
  else if (!isProduction && !isTestKey(key))
    problems.push(
      'STRIPE_SECRET_KEY must be a test key in sandbox mode (sk_test_...): a trial moves no real money',
    )
  if (!secrets.length) problems.push('STRIPE_WEBHOOK_SECRET must be set for PROCESSOR=stripe')
  for (const secret of secrets) problems.push(...tooShort('STRIPE_WEBHOOK_SECRET', secret))
  if (isProduction && api && !isSafeApi(api))
    problems.push(
      'STRIPE_API_URL must be https in production, except on a loopback address: it gets the secret key',
    )
  return problems
}

const isSafeApi = (url: string): boolean => new URL(url).protocol === 'https:' || isOnThisMachine(url)

const SECRET_LENGTH = 32
const tooShort = (name: string, secret?: string): string[] =>
  secret && secret.length < SECRET_LENGTH
    ? [`${name} must have at least ${SECRET_LENGTH} characters (openssl rand -hex 32)`]
    : []

function unsafeInProduction(config: Config): string[] {
  const problems: string[] = []
  if (config.VERIFIER_ALLOW_PRIVATE.length)
    problems.push(
      'VERIFIER_ALLOW_PRIVATE must be empty in production: it lets deliveries reach private addresses',
    )
  if (config.SVC_FAILPOINTS !== undefined)
    problems.push('SVC_FAILPOINTS must be absent in production: requests could end the service')
  if (!config.PUBLIC_URL) problems.push('PUBLIC_URL must be set in production')
  else if (!config.PUBLIC_URL.startsWith('https://')) problems.push('PUBLIC_URL must be https in production')
  problems.push(...tooShort('METRICS_TOKEN', config.METRICS_TOKEN))
  if (
    config.ADMIN_PASSWORD &&
    isWeakPassword(config.ADMIN_PASSWORD, config.ADMIN_EMAIL ? [config.ADMIN_EMAIL] : [])
  )
    problems.push(
      'ADMIN_PASSWORD is too easy to guess: a common password, a keyboard row, or derived from ADMIN_EMAIL',
    )
  if (config.SVC_CHAIN === 'local')
    problems.push('SVC_CHAIN=local is a test chain: set CHAIN_RPC_URL instead')
  if (!config.SMTP_URL)
    problems.push('SMTP_URL must be set in production: accounts are confirmed and recovered by mail')
  // Tokens travel to them.
  for (const name of ['OIDC_ISSUER', 'FRONTEND_URL', 'BOT_VERIFY_URL', 'X402_FACILITATOR_URL'] as const)
    if (config[name] && !config[name].startsWith('https://'))
      problems.push(`${name} must be https in production`)
  if (config.BREACHED_PASSWORDS_URL && !isSafeApi(config.BREACHED_PASSWORDS_URL))
    problems.push('BREACHED_PASSWORDS_URL must be https in production, except on a loopback address')
  problems.push(...plaintextProblems(config))
  if (config.CORS_ORIGINS.includes('*')) problems.push('CORS_ORIGINS must name origins in production, not *')
  return problems
}
