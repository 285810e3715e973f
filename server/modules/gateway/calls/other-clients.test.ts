import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
import {
  APICallError,
  embed,
  generateText,
  isStepCount,
  jsonSchema,
  Output,
  streamText,
  tool,
  type JSONSchema7,
} from 'ai'
import { sharedService, type TestService } from '#test'
import { GatewayTrial } from '../../../../test/support/gateway/gateway-trial.ts'

const CITY: JSONSchema7 = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
}
const weather = { type: 'function' as const, function: { name: 'get_weather', parameters: CITY } }
const prompt = 'Say hello'

let service: TestService
let trial: GatewayTrial
let poor: GatewayTrial
before(async () => {
  service = await sharedService()
  trial = await GatewayTrial.open(service)
  poor = await GatewayTrial.open(service)
  await poor.empty()
})
after(() => service.close())

suite('the AI SDK of Vercel', () => {
  const providerOf = ({ key }: GatewayTrial) =>
    createOpenAICompatible({
      name: 'svc',
      baseURL: `${service.baseUrl}/v1`,
      apiKey: key,
      includeUsage: true,
      supportsStructuredOutputs: true,
    })
  const modelOf = (of: GatewayTrial) => providerOf(of)('auto')

  test('generates a text with its usage', async () => {
    const { text, usage, finishReason } = await generateText({ model: modelOf(trial), prompt })
    assert.match(text, /Say hello$/)
    assert.equal(finishReason, 'stop')
    assert.ok(usage.inputTokens && usage.outputTokens)
  })

  test('streams the same text, with its usage', async () => {
    const stream = streamText({ model: modelOf(trial), prompt })
    const parts = await Array.fromAsync(stream.textStream)
    assert.ok(parts.length > 1)
    assert.match(parts.join(''), /Say hello$/)
    const usage = await stream.usage
    assert.ok(usage.inputTokens && usage.outputTokens)
  })

  test('runs a tool and sends its result back', async () => {
    const cities: string[] = []
    const { steps, text } = await generateText({
      model: modelOf(trial),
      prompt: 'What is the weather in Paris?',
      stopWhen: isStepCount(2),
      tools: {
        get_weather: tool({
          inputSchema: jsonSchema<{ city: string }>(CITY),
          execute: ({ city }) => {
            cities.push(city)
            return 'Sunny'
          },
        }),
      },
    })
    assert.equal(cities.length, 1)
    assert.deepEqual(
      steps.map(({ finishReason }) => finishReason),
      ['tool-calls', 'stop'],
    )
    assert.ok(text)
  })

  test('parses an answer by a JSON schema', async () => {
    const { output } = await generateText({
      model: modelOf(trial),
      prompt,
      output: Output.object({ schema: jsonSchema<{ city: string }>(CITY) }),
    })
    assert.equal(typeof output.city, 'string')
  })

  test('makes an embedding', async () => {
    const model = providerOf(trial).embeddingModel('text-embedding-3-small')
    const { embedding } = await embed({ model, value: prompt })
    assert.equal(embedding.length, 1536)
  })

  test('shows our text of an empty balance, and does not retry', async () => {
    const error: unknown = await generateText({ model: modelOf(poor), prompt }).catch(
      (thrown: unknown) => thrown,
    )
    assert.ok(APICallError.isInstance(error), String(error))
    assert.equal(error.statusCode, 402)
    assert.match(error.message, /^Insufficient balance: /)
    assert.equal(error.isRetryable, false)
  })
})

suite('LangChain', () => {
  const settingsOf = ({ key }: GatewayTrial) => ({
    apiKey: key,
    configuration: { baseURL: `${service.baseUrl}/v1` },
  })
  const chatOf = (of: GatewayTrial) => new ChatOpenAI({ model: 'auto', ...settingsOf(of) })

  test('invokes a model and reads its usage', async () => {
    const message = await chatOf(trial).invoke(prompt)
    assert.match(message.text, /Say hello$/)
    assert.ok(message.usage_metadata?.total_tokens)
  })

  test('streams the same text, with its usage', async () => {
    const chunks = await Array.fromAsync(await chatOf(trial).stream(prompt))
    assert.ok(chunks.length > 1)
    assert.match(chunks.map(({ text }) => text).join(''), /Say hello$/)
    assert.ok(chunks.some(({ usage_metadata }) => usage_metadata?.total_tokens))
  })

  test('reads the calls of its tools', async () => {
    const bound = chatOf(trial).bindTools([weather], { tool_choice: 'required' })
    const { tool_calls } = await bound.invoke(prompt)
    assert.equal(tool_calls?.[0]?.name, 'get_weather')
    assert.equal(typeof tool_calls[0].args.city, 'string')
  })

  test('parses an answer by a JSON schema', async () => {
    const structured = chatOf(trial).withStructuredOutput({ title: 'place', ...CITY })
    const { city } = await structured.invoke(prompt)
    assert.equal(typeof city, 'string')
  })

  test('calls the Responses API', async () => {
    const chat = new ChatOpenAI({ model: 'auto', useResponsesApi: true, ...settingsOf(trial) })
    const message = await chat.invoke(prompt)
    assert.match(message.text, /Say hello$/)
    assert.ok(message.usage_metadata?.total_tokens)
  })

  test('makes embeddings', async () => {
    const model = new OpenAIEmbeddings({ model: 'text-embedding-3-small', ...settingsOf(trial) })
    const vectors = await model.embedDocuments([prompt, 'Bye'])
    assert.deepEqual(
      vectors.map(vector => vector.length),
      [1536, 1536],
    )
  })

  test('shows our text of an empty balance', async () => {
    await assert.rejects(chatOf(poor).invoke(prompt), /402 Insufficient balance: /)
  })
})
