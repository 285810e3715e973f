import { isGroup } from './group.ts'
import type { TestService } from './service.ts'

const shared = new Map<string, Promise<TestService>>()

/**
 * The service of this group of test files with the default settings, for tests that leave its clock, its settings and its only admin
 * as they are and that look at their own people and deals only. A file that runs alone gets one of its own.
 */
export const sharedService = (): Promise<TestService> => sharedWith({})

/** The same with a local chain, on which a transfer needs two blocks. Its clock may be advanced. */
export const sharedChainService = (): Promise<TestService> =>
  sharedWith({
    SVC_CHAIN: 'local',
    CHAIN_CONFIRMATIONS: '2',
    X402_WEBHOOK_SECRET: 'a chain webhook secret of this test run',
  })

async function sharedWith(env: Record<string, string>): Promise<TestService> {
  const { startTestService } = await import('./service.ts')
  if (!isGroup()) return startTestService(env)
  const key = JSON.stringify(env)
  const service = shared.get(key) ?? startTestService(env)
  shared.set(key, service)
  return { ...(await service), close: async () => undefined }
}

/** Checks the books of the shared services and looks for secrets in all that they stored. */
export async function closeSharedService(): Promise<void> {
  const services = [...shared.values()]
  shared.clear()
  for (const service of services) await (await service).close()
}
