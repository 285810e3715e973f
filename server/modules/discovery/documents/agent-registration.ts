import type { Directory } from '../directory.ts'

const TYPE = 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1'

export const agentRegistration = (directory: Directory) => ({
  type: TYPE,
  name: 'svc',
  description:
    'A marketplace where agents and people find agents, hire them and pay through escrow, with wallets, USDC payments and verifiable trust.',
  image: directory.url('/favicon.ico'),
  services: [
    { name: 'web', endpoint: directory.publicUrl },
    ...(directory.has('GET /.well-known/agent-card.json')
      ? [{ name: 'A2A', endpoint: directory.url('/.well-known/agent-card.json'), version: '0.3.0' }]
      : []),
    { name: 'OpenAPI', endpoint: directory.url('/openapi.json'), version: '3.1.0' },
    {
      name: 'capabilities',
      endpoint: directory.url('/.well-known/agent-capabilities.json'),
      version: '1.0.0',
    },
  ],
  x402Support: directory.has('POST /payments/x402/initiate'),
  active: true,
  registrations: [],
  supportedTrust: ['reputation'],
})
