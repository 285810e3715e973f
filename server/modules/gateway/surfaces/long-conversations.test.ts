import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { sharedService, upstreamCall, type TestService } from '#test'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'
import { postTo } from '../../../../test/support/gateway/surface-clients.ts'
import { assertLinear } from '../../../../test/support/linear.ts'
import { anthropicMessages } from '../providers/anthropic-messages/index.ts'
import { requestOf as requestOfMessages } from './messages/request.ts'
import { requestOf as requestOfResponses } from './responses/request.ts'

/** A body has up to 20 MiB. */
const MANY = 32_000
/** More than a function takes as arguments. */
const MORE_THAN_ARGUMENTS = 200_000

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

test('a turn of many thoughts is read in linear time', () => {
  const read = ({ length }: string) =>
    requestOfMessages({
      model: 'auto',
      max_tokens: 1,
      messages: [
        { role: 'assistant', content: times(length, () => ({ type: 'redacted_thinking', data: 'sealed' })) },
      ],
    })
  assertLinear('thoughts', read, 't', MANY)
})

test('a turn of many calls is read in linear time', () => {
  const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
  const read = ({ length }: string) => requestOfResponses({ input: times(length, () => ({ ...call })) })
  assertLinear('calls', read, 'c', MANY)
})

test('two messages of one role become a turn, however many parts they have', () => {
  const content = times(MORE_THAN_ARGUMENTS, () => ({ type: 'text', text: 'a' }))
  const call = upstreamCall(['anthropic', 'anthropic-messages'], {
    messages: [
      { role: 'user', content: 'a' },
      { role: 'user', content },
    ],
  })
  const { messages } = anthropicMessages.request(call, false)
  assert.equal((messages as { content: unknown[] }[])[0]?.content.length, MORE_THAN_ARGUMENTS + 1)
})

suite('a tool result of many images', () => {
  let service: TestService
  let trial: GatewayTrial
  before(async () => {
    service = await sharedService()
    trial = await GatewayTrial.open(service)
  })
  after(() => service.close())

  test('is counted, as a message of Anthropic', async () => {
    const image = { type: 'image', source: { type: 'url', url: 'i' } }
    const result = { type: 'tool_result', tool_use_id: 't', content: times(MORE_THAN_ARGUMENTS, () => image) }
    const body = { model: 'auto', messages: [{ role: 'user', content: [result] }] }
    assert.equal((await postTo(trial, '/v1/messages/count_tokens', body)).status, 200)
  })

  test('is more than any model takes, as an item of Responses', async () => {
    const image = { type: 'input_image', image_url: 'i' }
    const output = times(MORE_THAN_ARGUMENTS, () => image)
    const body = { model: 'auto', input: [{ type: 'function_call_output', call_id: 'c', output }] }
    const answer = await postTo(trial, '/v1/responses', body)
    assert.equal(answer.status, 400, await answer.text())
  })
})
