const MODEL = 'gpt-6-luna'
const ID = 'gen-01980a3c-5b00-7c3e-8f11-2f6d1c0e9a10'
const TEXT = 'Because air scatters blue light more than red light.'

/** Of the other APIs of the gateway, by the name of the schema. */
export const GATEWAY_SURFACE_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  Message: {
    id: ID,
    type: 'message',
    role: 'assistant',
    model: MODEL,
    content: [{ type: 'text', text: TEXT }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 14,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      output_tokens: 11,
      cost: 0.000062,
    },
  },
  ModelResponse: {
    id: ID,
    object: 'response',
    created_at: 1_768_210_200,
    status: 'completed',
    incomplete_details: null,
    error: null,
    model: MODEL,
    output: [
      {
        id: 'msg_01980a3c-5b00-7c3e-8f11-2f6d1c0e9a10_0',
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: TEXT, annotations: [] }],
      },
    ],
    usage: { input_tokens: 14, output_tokens: 11, total_tokens: 25, cost: 0.000062 },
    store: false,
  },
  EmbeddingList: {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [0.0123, -0.0456] }],
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 6, total_tokens: 6, cost: 0.000001 },
  },
}
