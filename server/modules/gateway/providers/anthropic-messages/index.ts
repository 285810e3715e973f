import type { Adapter } from '../adapter.ts'
import { messagesRequest } from './request.ts'
import { messageCompletion } from './response.ts'
import { MessageStreamReader } from './stream.ts'

const VERSION = '2023-06-01'

/** The Messages API of Anthropic. */
export const anthropicMessages: Adapter = {
  path: '/messages',
  headers: key => ({ 'x-api-key': key, 'anthropic-version': VERSION }),
  request: messagesRequest,
  completion: messageCompletion,
  reader: call => new MessageStreamReader(call),
}
