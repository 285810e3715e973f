import type { Adapter } from '../adapter.ts'
import { responsesRequest } from './request.ts'
import { responseCompletion } from './response.ts'
import { ResponseStreamReader } from './stream.ts'

/** The Responses API of OpenAI, for models that have no chat completions. */
export const openAiResponses: Adapter = {
  path: '/responses',
  headers: key => ({ authorization: `Bearer ${key}` }),
  request: responsesRequest,
  completion: responseCompletion,
  reader: call => new ResponseStreamReader(call),
}
