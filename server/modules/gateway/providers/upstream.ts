import type { Services } from '#platform/kernel/services'
import { PROVIDERS, type ProviderId } from '../core/model.ts'
import { UpstreamFailure, type Upstream } from '../core/upstream.ts'
import { providerFaults } from './faults.ts'
import { completeWithFault, streamWithFault } from './injected.ts'
import { endpointsOf } from './endpoints.ts'
import { simulateCompletion, simulateEmbeddings, simulateStream } from './simulator/index.ts'

/** What calls a provider: the simulator, or HTTP. */
export type Caller = Pick<Upstream, 'complete' | 'stream' | 'embed'>

/** Providers that go on, and charge, when a stream is canceled. */
const GOES_ON: ReadonlySet<ProviderId> = new Set(['google', 'mistral', 'alibaba'])

const simulator: Caller = {
  complete: simulateCompletion,
  stream: simulateStream,
  embed: async ({ model, body }) => simulateEmbeddings(model.id, body),
}

/** Calls providers with the keys of the settings; without any key the simulator answers for all of them in sandbox mode. */
export function createUpstream(services: Services): Upstream & { stop(): Promise<void> } {
  const endpoints = endpointsOf(services.config)
  const configured = new Set(PROVIDERS.filter(provider => endpoints[provider].key))
  const simulated = configured.size === 0 && services.config.sandbox
  const caller = simulated ? simulator : unavailable
  return {
    ...(services.config.sandbox ? withFaults(caller, services) : caller),
    simulated,
    isConfigured: provider => simulated || configured.has(provider),
    stopsOnCancel: provider => !GOES_ON.has(provider),
    stop: async () => {},
  }
}

function withFaults(caller: Caller, services: Services): Caller {
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

const refuse = () => Promise.reject(new UpstreamFailure('credentials', 'The provider has no key'))
const unavailable: Caller = { complete: refuse, stream: refuse, embed: refuse }
