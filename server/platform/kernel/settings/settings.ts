import { gatewaySettings } from './gateway.ts'
import {
  address,
  choice,
  databaseUrl,
  flag,
  integer,
  list,
  optional,
  optionalInteger,
  origin,
  pathOrHttps,
  text,
  url,
  WEB,
  type Setting,
} from './kinds.ts'
import { providerSettings } from './providers.ts'

export const settings = {
  PORT: integer(3000, 0, 65_535, 'Port to listen on; 0 takes a free one.'),
  HOST: address('127.0.0.1', 'Address to listen on; 0.0.0.0 for every interface.'),
  PUBLIC_URL: origin(
    'Address that users reach, without a path; default http://HOST:PORT. Links in mails, claim links and token issuer.',
  ),
  FRONTEND_URL: url('A front end of your own: replaces the web console.', false, WEB),
  SITE_NAME: text('svc', 'Name of the marketplace, as the web console shows it.'),
  SITE_LOGO_URL: pathOrHttps('Logo of the web console: a path on this host or an https URL.'),
  WEB_DIST: text('web/dist', 'Folder of the built web console; a relative one is relative to the project.'),
  SVC_MODE: choice(
    'sandbox',
    ['sandbox', 'production'],
    'sandbox: test credit, movable clock, sandbox processor. production: none of them, and unsafe settings are refused.',
  ),
  SVC_DATA_DIR: text('.data', 'Folder of the embedded database, the master key and the unpacked browser.'),
  DATABASE_URL: databaseUrl(
    'A PostgreSQL server (15 or newer) instead of the embedded one. Several addresses, host:port,host:port, are a primary and its standbys: the service uses the primary.',
  ),
  DATABASE_DIRECT_URL: databaseUrl('The same server without a pooler, for LISTEN and migrations.'),
  DATABASE_POOL_SIZE: integer(
    10,
    2,
    200,
    'Connections of this process. More than a few for each core of the database make it slower.',
  ),
  STOP_DELAY_SECONDS: integer(
    0,
    0,
    60,
    'How long the service still serves after SIGTERM while /readyz answers 503. Behind a balancer: more than two intervals of its health check.',
  ),
  REDIS_URL: url('Redis for rate limits that are exact over several instances.', true),
  PLAINTEXT_HOSTS: list(
    'Hosts of PostgreSQL and Redis that production may reach without TLS, because the network to them is private. This machine needs no entry.',
  ),
  SVC_MASTER_KEY: optional(
    '64 hex digits that encrypt stored secrets; default: created on first start and stored in the data folder.',
    true,
  ),
  ADMIN_EMAIL: optional('Email of the first admin, made on start when there is none.'),
  ADMIN_PASSWORD: optional(
    'Password of the first admin; without both, a one-time set-up link is printed.',
    true,
  ),
  ENABLE_AGENT_SIGNUP: flag(
    false,
    'Whether POST /auth/register accepts userType AGENT. Agents can always use POST /auth/register-agent.',
  ),
  SVC_FAILPOINTS: optionalInteger(
    0,
    1_000_000,
    'Crash tests only, refused in production: the process ends itself at the statement that the header x-svc-failpoint of a request names, and at this statement of jobs and timers (0: at none).',
  ),
  VERIFIER_ALLOW_PRIVATE: list(
    'host:port or host:* that the service may call although private or on another port: pages of deliveries, webhooks, endpoints of agents, checkers. Trials only; refused in production.',
  ),
  CHROMIUM_PATH: optional('A Chromium to use instead of the one in node_modules.'),
  SANDBOX_ALLOWED_HOSTS: list(
    'Host names that sandbox mode answers to, beside localhost, IP addresses and the host of PUBLIC_URL.',
  ),
  CORS_ORIGINS: list('Origins that browsers may call from.'),
  AFFILIATE_DESTINATIONS: list(
    'Origins that affiliate links may lead to, beside PUBLIC_URL and FRONTEND_URL.',
  ),
  SECURITY_CONTACT: list(
    'Where weaknesses are reported, as mailto:, tel: or https: addresses, comma-separated; published as /.well-known/security.txt (RFC 9116).',
  ),
  SECURITY_POLICY_URL: url(
    'Your policy for reports of weaknesses, which /.well-known/security.txt links to.',
    false,
    ['https:'],
  ),
  HSTS_INCLUDE_SUBDOMAINS: flag(
    true,
    "Whether browsers must use https for the subdomains of PUBLIC_URL's host too; false where one of them is served without https.",
  ),
  TRUSTED_PROXIES: list('Addresses whose X-Forwarded-For is believed.'),
  RATE_LIMIT_IP_PER_MIN: optionalInteger(
    1,
    1_000_000,
    'Requests to public operations, and requests without a credential, per minute and address; 600 in production, off in sandbox mode unless set.',
  ),
  RATE_LIMIT_FAILED_PER_MIN: optionalInteger(
    1,
    1_000_000,
    'Refused credentials, passwords and webhook signatures per minute and address; 60 in production, off in sandbox mode unless set.',
  ),
  RATE_LIMIT_SIGN_IN_PER_MIN: optionalInteger(
    1,
    1_000_000,
    'Sign-ins and registrations by password per minute and address; 60 in production, off in sandbox mode unless set.',
  ),
  RATE_LIMIT_USER_PER_MIN: optionalInteger(
    1,
    1_000_000,
    'Requests per minute and account; 3000 in production, off in sandbox mode unless set.',
  ),
  OVERLOAD_LATE_MS: integer(
    100,
    0,
    10_000,
    'How late the event loop may be before reads and model requests are refused with 503; 0 for never.',
  ),
  PROCESSOR: choice(
    'sandbox',
    ['sandbox', 'stripe'],
    'The card processor: the simulated one of sandbox mode, or Stripe. Production requires stripe.',
  ),
  STRIPE_SECRET_KEY: optional(
    'Secret or restricted key of the Stripe account: a live key in production, a test key in sandbox mode.',
    true,
  ),
  STRIPE_WEBHOOK_SECRET: list(
    "Signing secrets of Stripe's webhook endpoints, comma-separated: several endpoints, or the old and the new one while a secret is rotated.",
    true,
  ),
  STRIPE_API_URL: url('Where the API of Stripe is; default https://api.stripe.com.', false, WEB),
  PROCESSOR_WEBHOOK_SECRET: list(
    'Signing secrets of the simulated processor, comma-separated; it signs with the first. Default: made on first start.',
    true,
  ),
  SVC_CHAIN: choice(
    'remote',
    ['remote', 'local'],
    'remote: the node of CHAIN_RPC_URL; without it x402 payments can be requested and not paid. local: a test chain that the service runs itself, sandbox mode only.',
  ),
  CHAIN_RPC_URL: url(
    'JSON-RPC address of a node of Base (sandbox mode: Base Sepolia) for payments in USDC.',
    true,
    WEB,
  ),
  CHAIN_CONFIRMATIONS: optionalInteger(
    1,
    1000,
    'Blocks that a transfer needs, its own included, until it is final; default 12, on the local chain 1.',
  ),
  CHAIN_MAX_GAS_GWEI: integer(
    50,
    1,
    100_000,
    'Gas price above which the service waits before it settles a payment or sends a payout.',
  ),
  CHAIN_ETH_USD: integer(4000, 1, 1_000_000, 'Dollars for one ether, at which gas is posted as an expense.'),
  X402_FACILITATOR_URL: url(
    'An x402 facilitator that verifies and settles payments; without it the service does so itself and pays the gas.',
    false,
    WEB,
  ),
  X402_WEBHOOK_SECRET: optional(
    'Secret of the notifications at POST /webhooks/x402 (HMAC-SHA256 of the body); default: made on first start.',
    true,
  ),
  ANVIL_PATH: optional('An anvil binary for SVC_CHAIN=local instead of the one in node_modules (Linux x64).'),
  BASIC_TIER_LIMIT_USD: integer(
    1000,
    0,
    1_000_000_000,
    'Deals above this amount need a seller of trust tier BASIC.',
  ),
  VAULT_QUOTA_MB: integer(
    1000,
    1,
    1_000_000,
    'Megabytes of files that an account may store in the vault. A file of a deal with another account counts until that has ended, and remains stored for the buyer. `GET /vault` lists them.',
  ),
  ADMIN_TRANSFER_LIMIT_USD: integer(
    1000,
    0,
    1_000_000_000,
    'What one admin moves with POST /wallets/transfer in a day; beyond it a transfer waits for another admin. Each amount above it that leaves suspense or unclaimed funds, or is written off, waits too.',
  ),
  TRANSFER_STEP_UP_USD: integer(
    100,
    0,
    1_000_000_000,
    'Sum that an account can transfer to wallets of other accounts in a day without a sign-in or step-up in the last five minutes.',
  ),
  PAYOUT_MIN_USD: integer(1, 0, 1_000_000, 'The smallest payout.'),
  PAYOUT_REVIEW_USD: integer(
    1000,
    0,
    1_000_000_000,
    'Sum that an account pays out in 24 hours without a review; beyond it each payout waits for an admin, who is not its requester.',
  ),
  PAYOUT_HOLD_MINUTES: integer(
    0,
    0,
    10_080,
    'How long a requested payout waits before it is sent. Its owner is notified by email and can cancel it meanwhile.',
  ),
  AGENTS_PER_ACCOUNT: integer(
    1000,
    1,
    1_000_000,
    'How many agents an account can have. Archived ones do not count; those that it has already stay.',
  ),
  TRUST_MIN_COMPLETION_USD: integer(
    0,
    0,
    1_000_000_000,
    'Completed deals below this amount do not count for the tiers BASIC and VERIFIED.',
  ),
  ...providerSettings,
  SMTP_URL: url(
    'SMTP server that mail goes through, such as smtps://user:password@host; required in production. Without it sandbox mode shows mails at /sandbox/mail.',
    true,
    ['smtp:', 'smtps:'],
  ),
  MAIL_FROM: optional('Sender of mails; default no-reply@ the host of PUBLIC_URL.'),
  INTERNAL_SECRET: optional(
    'Shared secret of the web front end for POST /auth/session/exchange (32 characters or more); without it nobody can exchange.',
    true,
  ),
  OIDC_ISSUER: url(
    'OpenID Connect provider that people may sign in with; its redirect address is PUBLIC_URL/auth/identity-provider/callback.',
    false,
    WEB,
  ),
  OIDC_CLIENT_ID: optional('Our client id at that provider.'),
  OIDC_CLIENT_SECRET: optional('Our client secret at that provider.', true),
  AGENT_CHALLENGE: choice(
    'none',
    ['none', 'pow', 'bot-token'],
    'What an agent that registers itself must send, by any operation: nothing, a proof of work, or a token that BOT_VERIFY_URL confirms.',
  ),
  BOT_VERIFY_URL: url(
    'Where a bot-challenge token is confirmed (the siteverify call of Turnstile, hCaptcha or reCAPTCHA).',
    false,
    WEB,
  ),
  BOT_VERIFY_SECRET: optional('Our secret there.', true),
  BREACHED_PASSWORDS_URL: url(
    'Range service that lists leaked passwords, such as https://api.pwnedpasswords.com/range. It receives the first five hex digits of the SHA-1 of each new password.',
    false,
    WEB,
  ),
  ...gatewaySettings,
  OTEL_EXPORTER_OTLP_ENDPOINT: url(
    'Receiver of OpenTelemetry spans of routed requests (OTLP over HTTP, without /v1/traces); without it there are none.',
    false,
    WEB,
  ),
  OTEL_EXPORTER_OTLP_HEADERS: list(
    'Headers for that receiver as name=value, comma-separated, values percent-encoded.',
    true,
  ),
  OTEL_SERVICE_NAME: text('svc', 'Name of the service in its spans.'),
  METRICS_TOKEN: optional(
    'What Prometheus sends as its bearer token to /metrics; without it sandbox mode answers everybody and production nobody.',
    true,
  ),
  LEDGER_ANCHOR_FILE: optional(
    "File that each new head of the ledger's and the audit log's chain is appended to, best on storage that only appends; svc audit verify compares it.",
  ),
  LEDGER_ANCHOR_URL: url(
    'Address that each new head is sent to with POST, as JSON: chain, block, hash, at.',
    true,
    WEB,
  ),
  SVC_WAL_ARCHIVE: optional(
    'Folder that the embedded PostgreSQL archives its write-ahead log to, for svc backup --physical and svc restore --until; best on another disk. Absolute path.',
  ),
  SVC_BACKUP_PASSPHRASE: optional(
    'Passphrase of svc backup and svc restore, 12 characters or more; without it they ask on the terminal. The service does not need it.',
    true,
  ),
  LOG_LEVEL: choice(
    'info',
    ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    'How much is logged (JSON lines on standard output).',
  ),
} satisfies Record<string, Setting<unknown>>
