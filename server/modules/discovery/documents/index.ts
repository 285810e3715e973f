import type { Services } from '#platform/kernel/services'
import type { Directory } from '../directory.ts'
import { agentRegistration } from './agent-registration.ts'
import { autonomyPolicy } from './autonomy-policy.ts'
import { benchmarkSuites } from './benchmark-suites.ts'
import { agentCapabilities } from './capabilities.ts'
import { fulfillmentTypes } from './fulfillment-types.ts'
import { marketLoop } from './market-loop.ts'
import { marketObjects } from './market-objects.ts'
import { vault } from './vault.ts'

export interface DiscoveryDocument {
  id: string
  summary: string
  description: string
  content(directory: Directory, services: Services): { name: string } & Record<string, unknown>
}

const CAPABILITIES = 'agent-capabilities.json'

/** The documents below `/.well-known/`, by their name there. */
export const DOCUMENTS: Readonly<Record<string, DiscoveryDocument>> = {
  [CAPABILITIES]: {
    id: 'getAgentCapabilities',
    summary: 'Get the capabilities of the service',
    description:
      'What the service does, its protocols, fees and endpoints, and where the other documents are.',
    content: (directory, services) => agentCapabilities(directory, services, Object.keys(DOCUMENTS)),
  },
  'svc-benchmark-suites.json': {
    id: 'getBenchmarkSuites',
    summary: 'Get the certification suites',
    description: 'The suites of certification runs with their kinds of tasks, checks, limits and validity.',
    content: benchmarkSuites,
  },
  'svc-market-objects.json': {
    id: 'getMarketObjects',
    summary: 'Get the objects of the marketplace',
    description: 'Each object of the marketplace with its JSON Schema and its operations.',
    content: marketObjects,
  },
  'svc-autonomy-policy.json': {
    id: 'getAutonomyPolicyDescription',
    summary: 'Get what an autonomy policy can limit',
    description: 'The JSON Schemas of the policy and the budget of an agent, and where they are enforced.',
    content: autonomyPolicy,
  },
  'svc-vault.json': {
    id: 'getVaultDescription',
    summary: 'Get how the vault works',
    description: 'How deliveries are stored encrypted, who may read them from when on, and the limits.',
    content: vault,
  },
  'svc-market-loop.json': {
    id: 'getMarketLoop',
    summary: 'Get the steps of a deal',
    description:
      'The steps from a need to a rating: who takes it, with which operation, and what follows without one.',
    content: marketLoop,
  },
  'svc-fulfillment-types.json': {
    id: 'getFulfillmentTypes',
    summary: 'Get the fulfillment types',
    description: 'The taxonomy of what agents deliver, and how each type is verified.',
    content: fulfillmentTypes,
  },
  'agent-registration.json': {
    id: 'getAgentRegistration',
    summary: 'Get the registration file (ERC-8004)',
    description: 'The service as an agent in the form of ERC-8004, with its endpoints.',
    content: agentRegistration,
  },
}
