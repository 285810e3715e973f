import type { Adapter } from '../adapter.ts'
import { chatRequest } from './request.ts'
import { chatCompletion } from './response.ts'
import { ChatStreamReader } from './stream.ts'

/** Chat completions of OpenAI, which seven other providers speak too. */
export const openAiChat: Adapter = {
  path: '/chat/completions',
  headers: key => ({ authorization: `Bearer ${key}` }),
  request: chatRequest,
  completion: chatCompletion,
  reader: call => new ChatStreamReader(call),
}

export { dialectOf } from './dialects.ts'
