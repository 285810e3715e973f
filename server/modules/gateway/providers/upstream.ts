import type { Services } from '#platform/kernel/services'
import { PROVIDERS, type ProviderId } from '../core/model.ts'
import type { Upstream } from '../core/upstream.ts'
import type { Caller } from './adapter.ts'
import { leastLimit } from './body.ts'
import { HttpCaller } from './client.ts'
import { providerFaults } from './faults.ts'
import { completeWithFault, streamWithFault } from './injected.ts'
import { endpointsOf } from './endpoints.ts'
import { thinksBeyondLimit } from './openai-chat/dialects.ts'
import { HttpTransport } from './transport/index.ts'
import { simulateCompletion, simulateEmbeddings, simulateStream } from './simulator/index.ts'

/** Providers that go on, and charge, when a stream is canceled. */
const GOES_ON: ReadonlySet<ProviderId> = new Set(['google', 'mistral', 'alibaba'])

const simulator: Caller = {
  complete: simulateCompletion,
  stream: simulateStream,
  embed: async ({ model, body }) => simulateEmbeddings(model.id, body),
}

/** Calls providers with the keys of the settings; without any key the simulator answers for all of them in sandbox mode. */
export function createUpstream(
  services: Pick<Services, 'config' | 'memo'>,
): Upstream & { stop(): Promise<void> } {
  const endpoints = endpointsOf(services.config)
  const configured = new Set(PROVIDERS.filter(provider => endpoints[provider].key))
  const simulated = configured.size === 0 && services.config.sandbox
  const transport = new HttpTransport()
  const caller = simulated ? simulator : new HttpCaller(endpoints, transport)
  return {
    ...withFaults(caller, services),
    simulated,
    isConfigured: provider => simulated || configured.has(provider),
    stopsOnCancel: provider => !GOES_ON.has(provider),
    thinksBeyondLimit,
    leastLimit,
    stop: () => transport.close(),
  }
}

/** Only sandbox mode injects faults. */
function withFaults(caller: Caller, services: Pick<Services, 'config' | 'memo'>): Caller {
  const faults = providerFaults(services)
  return {
    complete(call) {
      const fault = faults.take(call.model.provider)
      const proceed = () => caller.complete(call)
      return fault ? completeWithFault(fault, call, proceed) : proceed()
    },
    stream(call) {
      const fault = faults.take(call.model.provider)
      const proceed = () => caller.stream(call)
      return fault ? streamWithFault(fault, call, proceed) : proceed()
    },
    embed(call) {
      const fault = faults.take(call.model.provider)
      const proceed = () => caller.embed(call)
      return fault ? completeWithFault(fault, call, proceed) : proceed()
    },
  }
}
