import type { ChatMessage, ContentPart } from '../core/chat.ts'
import { stripEnvelope, stripSystemPrompt } from './envelope.ts'

/** Longer conversations are scored by their beginning and their end: this bounds the time of a decision. */
export const MOST_CHARS = 4096

/** What stage 1 reads of a conversation. */
export interface Conversation {
  /** What people asked, oldest turn first, without the envelopes of agents. */
  text: string
  /** Characters of the whole, of which `text` may be an excerpt. */
  length: number
  /** Messages of people. */
  turns: number
  /** Results of tools. */
  toolResults: number
}

export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const texts: string[] = []
  let toolResults = 0
  for (const { role, content } of messages) {
    if (role === 'tool') toolResults++
    if (role !== 'user') continue
    // Nothing remains of reminders and tool results that agents send as messages of the user.
    const text = stripEnvelope(textOf(content))
    if (text) texts.push(text)
  }
  const turns = texts.length
  const system = messages.find(({ role }) => role === 'system' || role === 'developer')
  const instruction = system ? stripSystemPrompt(textOf(system.content), turns === 0) : ''
  if (instruction) texts.unshift(instruction)
  const whole = texts.join('\n\n')
  return { text: shorten(whole), length: whole.length, turns, toolResults }
}

/** The text parts of a message. */
export function textOf(content: ChatMessage['content']): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .filter(isText)
    .map(({ text }) => text)
    .join('\n')
}

const isText = (part: ContentPart): part is ContentPart & { text: string } =>
  part?.type === 'text' && typeof part.text === 'string'

export const hasImages = (messages: readonly ChatMessage[]): boolean =>
  messages.some(({ content }) => Array.isArray(content) && content.some(part => part?.type === 'image_url'))

const shorten = (text: string): string =>
  text.length <= MOST_CHARS
    ? text
    : `${text.slice(0, MOST_CHARS / 2)}\n${text.slice(text.length - MOST_CHARS / 2)}`
