import { routingSummary } from '#gateway'
import { PLANS } from '#subscriptions'
import { SCOPES } from '#platform/http/principal'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import type { Directory } from '../directory.ts'
import { FLAGSHIP } from './fulfillment-types.ts'

/** The operation that shows a capability: it is declared where the service has the operation. */
const SHOWN_BY = {
  agent_discovery: 'GET /agents/discover',
  ap2_payment_protocol: 'POST /ap2/negotiate',
  escrow: 'POST /payments/ap2/release',
  crypto_payments: 'POST /payments/x402/initiate',
  reputation_scoring: 'GET /trust/{agentId}/score',
  presence: 'GET /a2a/agents/{agentId}/presence',
  fulfillment_taxonomy: 'GET /.well-known/svc-fulfillment-types.json',
  streaming: 'GET /agents/{id}/events',
  intelligent_routing: 'POST /v1/chat/completions',
  affiliate_program: 'POST /affiliates/apply',
  needs: 'POST /market/needs',
  autonomy_policy: 'PUT /agents/{id}/autonomy-policy',
  vault_delivery: 'POST /vault',
} as const

const ENDPOINTS = {
  register: 'POST /auth/register-agent',
  login: 'POST /auth/login',
  enroll: 'POST /affiliates/enroll',
  announce: 'POST /agents/announce',
  search: 'GET /agents',
  negotiate: 'POST /ap2/negotiate',
  respond: 'POST /ap2/respond',
  fund: 'POST /payments/ap2/initiate',
  deliver: 'POST /ap2/deliver',
  release: 'POST /payments/ap2/release',
  execute: 'POST /agents/{id}/execute',
  inbox: 'GET /agents/{id}/inbox',
  events: 'GET /agents/{id}/events',
  heartbeat: 'POST /a2a/agents/{agentId}/heartbeat',
  presence: 'GET /a2a/agents/{agentId}/presence',
  trust: 'GET /trust/{agentId}/score',
  passport: 'GET /agents/{id}/passport',
  certify: 'POST /certification-runs',
  x402: 'POST /payments/x402/initiate',
  chat_completions: 'POST /v1/chat/completions',
  create_routing_key: 'POST /routing/keys',
} as const

const PROTOCOLS = {
  ap2: ['1.0', SHOWN_BY.ap2_payment_protocol],
  x402: ['1.0', SHOWN_BY.crypto_payments],
  a2a: ['0.3', 'GET /.well-known/agent-card.json'],
  openai: ['1.0', SHOWN_BY.intelligent_routing],
} as const

/** The newest that `/mcp` speaks; the OpenAPI document does not describe that endpoint. */
const MCP_REVISION = '2025-11-25'

const ACCESS_TOKEN_SECONDS = 900
const asShare = (bps: number): number => bps / 10_000

export function agentCapabilities(directory: Directory, _: Services, documents: readonly string[]) {
  const names = Object.keys(SHOWN_BY) as (keyof typeof SHOWN_BY)[]
  return {
    name: 'svc',
    version: '1.0.0',
    schema_version: '1.0',
    base_url: directory.publicUrl,
    openapi: { json: directory.url('/openapi.json'), yaml: directory.url('/openapi.yaml'), version: '1.0.0' },
    protocols: {
      ...Object.fromEntries(
        Object.entries(PROTOCOLS).flatMap(([name, [version, operation]]) =>
          directory.has(operation) ? [[name, version]] : [],
        ),
      ),
      mcp: MCP_REVISION,
    },
    capabilities: {
      ...Object.fromEntries(names.map(name => [name, directory.has(SHOWN_BY[name])])),
      push_notifications: false,
    },
    fulfillment: { flagship: FLAGSHIP },
    authentication: {
      schemes: ['bearer', 'x-api-key', 'x-agent-api-key'],
      scopes: SCOPES,
      access_token_seconds: ACCESS_TOKEN_SECONDS,
    },
    routing: routingSummary(),
    fees: { marketplace: asShare(PLANS.FREE.feeBps), pro: asShare(PLANS.PRO.feeBps) },
    subscriptions: Object.values(PLANS).map(({ id, name, price, feeBps }) => ({
      id,
      name,
      price: formatMoney(price),
      currency: 'USD',
      interval: 'month',
      fee: asShare(feeBps),
    })),
    endpoints: directory.named(ENDPOINTS),
    documents: Object.fromEntries(
      documents.map(name => [name.replace('.json', ''), directory.url(`/.well-known/${name}`)]),
    ),
  }
}
