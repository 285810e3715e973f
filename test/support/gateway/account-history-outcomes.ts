import { usageRecord, writeUsage } from './usage.ts'
import type { Scene } from '../people/account-history-deals.ts'
import type { TestService } from '../service/service.ts'

/** Lets the person report how good an answer of the gateway was. */
export async function rateAnswer(
  service: TestService,
  { call, person: { id, token } }: Pick<Scene, 'call' | 'person'>,
): Promise<void> {
  const made = await service.http<{ key: string }>('POST', '/v1/auth/keys', { token, body: { name: 'Key' } })
  if (made.status !== 201) throw new Error(made.text)
  const [answered] = await writeUsage(service, [usageRecord({ accountId: id })])
  const body = { generationId: answered?.id, score: null }
  await call('recordRoutingOutcome', { token: made.body.key, body })
}
