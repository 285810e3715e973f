import { usageRecord, writeUsage } from './usage.ts'
import { sql } from '#platform/kernel/sql'
import { eventually } from '#test'
import type { Scene } from '../people/account-history-deals.ts'
import type { CanaryClient } from '../openapi/text-fields.ts'
import type { TestService } from '../service/service.ts'

type By = Pick<Scene, 'call' | 'person'>

async function makeKey(service: TestService, token: string): Promise<string> {
  const made = await service.http<{ key: string }>('POST', '/v1/auth/keys', { token, body: { name: 'Key' } })
  if (made.status !== 201) throw new Error(made.text)
  return made.body.key
}

/** Lets the person report how good an answer of the gateway was. */
export async function rateAnswer(service: TestService, { call, person: { id, token } }: By): Promise<void> {
  const key = await makeKey(service, token)
  const free = { accountId: id, costNano: 0, cost: 0n, fee: 0n }
  const [answered] = await writeUsage(service, [usageRecord(free)])
  await call('recordRoutingOutcome', { token: key, body: { generationId: answered?.id, score: 1 } })
}

/** Lets an end user of the person ask models something on every surface, until the requests are recorded. */
export async function askModels(
  service: TestService,
  client: CanaryClient,
  { call, person: { id, token } }: By,
): Promise<void> {
  const key = await makeKey(service, token)
  const ask = (operationId: string, body: Record<string, unknown>) => call(operationId, { token: key, body })
  const messages = (operationId: string) => [
    { role: 'user', content: client.word(operationId, 'messages[].content') },
  ]
  const none = (...names: string[]) => Object.fromEntries(names.map(name => [name, null]))
  await ask('createChatCompletion', {
    ...none('stream_options', 'tools', 'tool_choice', 'response_format', 'reasoning_effort'),
    model: 'auto',
    messages: messages('createChatCompletion'),
  })
  await ask('createMessage', {
    ...none('tools', 'tool_choice', 'thinking', 'output_config', 'stop_sequences', 'mcp_servers'),
    ...none('container', 'speed', 'inference_geo', 'fallbacks', 'compaction', 'thread'),
    model: 'auto',
    max_tokens: 16,
    messages: messages('createMessage'),
  })
  await ask('createResponse', {
    ...none('tools', 'tool_choice', 'text', 'reasoning', 'service_tier', 'metadata'),
    ...none('previous_response_id', 'conversation', 'prompt', 'safety_identifier', 'include'),
    ...none('truncation', 'context_management', 'moderation'),
    model: 'auto',
    max_output_tokens: 16,
  })
  await ask('createEmbeddings', { model: 'text-embedding-3-small' })
  await eventually('the requests are recorded', async () => {
    const { count } = await service.services.db.one(sql<{ count: bigint }>`
      select count(*) from gateway_usage where account_id = ${id} and end_user is not null`)
    return Number(count) === 4
  })
}
