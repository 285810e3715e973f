import { startTestService, type TestService } from '#test'
import { SECRETS } from './tenants/tenants.ts'

/** A service with every part switched on that runs on loopback alone. */
export const startFuzzedService = (): Promise<TestService> =>
  startTestService({
    ...SECRETS,
    LOG_LEVEL: 'silent',
    ENABLE_AGENT_SIGNUP: 'true',
    SVC_CHAIN: 'local',
    // Pages are checked over HTTP alone: the browser has tests of its own.
    CHROMIUM_PATH: '/nonexistent',
  })

/** Errors that the service logged with an exception: a request or a job that failed. */
export const exceptionsOf = ({ logged }: TestService): string[] =>
  logged.filter(line => {
    const { level, err } = JSON.parse(line) as { level: string; err?: unknown }
    return (level === 'error' || level === 'fatal') && err !== undefined
  })
