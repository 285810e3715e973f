import type { ChatRequest } from '../../core/chat.ts'
import { imagesOf, textOfMessage } from './answer.ts'

/**
 * The tokens of the simulator: a word of a prompt is one, which is never more than a real tokenizer finds; six letters of
 * an answer are one.
 */
const IMAGE_TOKENS = 50

export function promptTokens(request: ChatRequest): number {
  let count = 0
  for (const message of request.messages) {
    count += wordsOf(textOfMessage(message)) + IMAGE_TOKENS * imagesOf(message)
    for (const call of message.tool_calls ?? []) count += wordsOf(call.function.arguments)
  }
  return Math.max(count, 1)
}

export const wordsOf = (text: string): number => text.match(/\S+/g)?.length ?? 0

export const piecesOf = (text: string): string[] => text.match(/\s*\S{1,6}|\s+$/gu) ?? []
