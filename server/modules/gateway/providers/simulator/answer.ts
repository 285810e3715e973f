import type { ChatMessage, ChatRequest, ToolDefinition } from '../../core/chat.ts'
import { isRecord } from '#platform/kernel/unknown'
import { valueOfSchema } from './schema-value.ts'

/** What the simulator answers: a text, or the call of one tool. */
export interface SimulatedAnswer {
  content: string | null
  tool: { name: string; arguments: string } | null
}

const MAX_QUOTE = 400
const MAX_WORDS = 20_000

/** Derived from the request alone: the same request has the same answer. */
export function answerOf(request: ChatRequest, modelId: string): SimulatedAnswer {
  const tool = toolToCall(request)
  if (tool) {
    const args = JSON.stringify(valueOfSchema(tool.function.parameters ?? { type: 'object' }))
    return { content: null, tool: { name: tool.function.name, arguments: args } }
  }
  const { response_format: format } = request
  if (format?.type === 'json_schema')
    return { content: JSON.stringify(valueOfSchema(format.json_schema?.schema ?? {})), tool: null }
  const text = plainAnswer(request, modelId)
  return { content: format?.type === 'json_object' ? JSON.stringify({ answer: text }) : text, tool: null }
}

function plainAnswer(request: ChatRequest, modelId: string): string {
  const last = request.messages.at(-1)
  const asked = textOfMessage(last)
  const quote = asked.length > MAX_QUOTE ? `${asked.slice(0, MAX_QUOTE)}…` : asked
  const images = imagesOf(last)
  const seen = images ? ` with ${images} image${images > 1 ? 's' : ''}` : ''
  const text =
    last?.role === 'tool'
      ? `Simulated answer of ${modelId}. The tool returned: ${quote}`
      : `Simulated answer of ${modelId}. The message${seen} was: ${quote}`
  const words = /\bin (\d{1,5}) words\b/i.exec(asked)?.[1]
  return words ? ofLength(text, Math.min(Number(words), MAX_WORDS)) : text
}

function ofLength(text: string, count: number): string {
  const words = text.split(/\s+/).slice(0, count)
  for (let at = words.length; at < count; at += 1) words.push(`word${at + 1}`)
  return words.join(' ')
}

/** The tool that `tool_choice` requires; with `auto` one that the user's message mentions. */
function toolToCall({ tools, tool_choice: choice, messages }: ChatRequest): ToolDefinition | null {
  const functions = (tools ?? []).filter(tool => tool.type === 'function')
  if (!functions.length || choice === 'none') return null
  if (isRecord(choice) && isRecord(choice.function)) {
    const { name } = choice.function
    return functions.find(tool => tool.function.name === name) ?? null
  }
  const asked = textOfMessage(messages.at(-1)).toLowerCase()
  const mentioned = functions.find(tool => isMentioned(tool.function.name, asked))
  if (choice === 'required') return mentioned ?? functions[0] ?? null
  return messages.at(-1)?.role === 'user' ? (mentioned ?? null) : null
}

/** `get_weather` is mentioned by its name and by "weather". */
function isMentioned(name: string, asked: string): boolean {
  const words = name.split(/[^a-zA-Z0-9]+|(?<=[a-z])(?=[A-Z])/).map(word => word.toLowerCase())
  return asked.includes(name.toLowerCase()) || words.some(word => word.length > 3 && asked.includes(word))
}

export function textOfMessage(message: ChatMessage | undefined): string {
  const content = message?.content
  if (typeof content === 'string') return content
  return (content ?? [])
    .map(part => ('text' in part && typeof part.text === 'string' ? part.text : ''))
    .join(' ')
}

export const imagesOf = (message: ChatMessage | undefined): number =>
  Array.isArray(message?.content) ? message.content.filter(part => part.type === 'image_url').length : 0
