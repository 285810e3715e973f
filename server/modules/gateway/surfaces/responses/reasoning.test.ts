import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatCompletion } from '../../core/chat.ts'
import { chunk, usage } from '../chunks.fixture.ts'
import { responseOf } from './answer.ts'
import { requestOf } from './request.ts'
import type { ResponsesBody } from './schema.ts'
import { ResponseStream } from './stream.ts'

const asking = (reasoning: ResponsesBody['reasoning']): ResponsesBody => ({ input: 'Hello', reasoning })

/** A thought as it is while it is complete. */
const item = {
  id: 'rs_1_0',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Hm' }],
  content: [],
  status: 'completed',
}

const completion: ChatCompletion = {
  id: 'gen-1',
  object: 'chat.completion',
  created: 1,
  model: 'model-1',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Yes', reasoning_content: 'Hm' },
      finish_reason: 'stop',
    },
  ],
  usage,
}

test('a summary of the reasoning is asked for by both of its names', () => {
  assert.deepEqual(requestOf(asking({ effort: 'low', summary: 'auto' }))['reasoning'], { summary: 'auto' })
  assert.deepEqual(requestOf(asking({ generate_summary: 'concise' }))['reasoning'], { summary: 'concise' })
  assert.equal(requestOf(asking({ effort: 'low', summary: null }))['reasoning'], undefined)
})

test('thoughts are the summary where one was asked for', () => {
  const response = responseOf(asking({ summary: 'auto' }), completion)
  assert.deepEqual(response.output[0], item)
  assert.deepEqual(response.reasoning, { effort: null, summary: 'auto' })
  const [thought] = responseOf(asking({ effort: 'low' }), completion).output
  assert.deepEqual(thought, { ...item, summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] })
})

test('a stream has the events of a summary', () => {
  const stream = new ResponseStream(asking({ summary: 'auto' }), {
    id: 'gen-1',
    created: 1,
    model: 'model-1',
  })
  const chunks = [
    chunk({ reasoning_content: 'H' }),
    chunk({ reasoning_content: 'm' }),
    chunk({ content: 'Yes' }),
  ]
  const events = chunks.flatMap(each => stream.push(each))
  const at = { item_id: 'rs_1_0', output_index: 0, summary_index: 0 }
  const expected = [
    {
      type: 'response.output_item.added',
      output_index: 0,
      item: { ...item, summary: [], status: 'in_progress' },
    },
    { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
    { type: 'response.reasoning_summary_text.delta', ...at, delta: 'H' },
    { type: 'response.reasoning_summary_text.delta', ...at, delta: 'm' },
    { type: 'response.reasoning_summary_text.done', ...at, text: 'Hm' },
    { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text: 'Hm' } },
    { type: 'response.output_item.done', output_index: 0, item },
  ]
  assert.deepEqual(
    events.slice(0, expected.length),
    expected.map((event, at) => ({ ...event, sequence_number: at })),
  )
})

test('a summary that comes back is what the model thought', () => {
  const call = { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{}' }
  const { messages } = requestOf({
    input: [item, call, { type: 'function_call_output', call_id: 'call_1', output: 'a dog' }],
  })
  assert.equal(messages[0]?.['reasoning_content'], 'Hm')
})
