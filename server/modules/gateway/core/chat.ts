/**
 * The form in which the gateway handles every request and answer, whatever API its caller or its provider speaks: chat
 * completions of OpenAI. Unknown keys pass through.
 */

export interface TextPart {
  type: 'text'
  text: string
}
export interface ImagePart {
  type: 'image_url'
  image_url: { url: string; detail?: string }
}
export type ContentPart = TextPart | ImagePart | { type: string; [key: string]: unknown }

export interface ToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
  /** Anthropic caches the prompt up to here. */
  cache_control?: unknown
  /** Google's signature of the call, sent back unchanged. */
  extra_content?: unknown
}

export interface ChatMessage {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  content?: string | ContentPart[] | null
  name?: string
  tool_calls?: ToolCall[]
  tool_call_id?: string
  [key: string]: unknown
}

export interface ToolDefinition {
  type: 'function'
  function: { name: string; description?: string; parameters?: object; strict?: boolean | null }
}

export interface ChatRequest {
  model: string
  messages: ChatMessage[]
  stream?: boolean
  stream_options?: { include_usage?: boolean } | null
  max_tokens?: number | null
  max_completion_tokens?: number | null
  n?: number | null
  tools?: ToolDefinition[]
  tool_choice?: unknown
  response_format?: {
    type: string
    json_schema?: { name: string; description?: string; schema?: object; strict?: boolean | null }
  }
  user?: string
  prompt_cache_key?: string
  [key: string]: unknown
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'error'

export interface CompletionUsage {
  prompt_tokens: number
  completion_tokens: number
  total_tokens: number
  prompt_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number }
  completion_tokens_details?: { reasoning_tokens?: number }
  /** Cost with fee in USD; the gateway adds it. */
  cost?: number
}

export interface ChatCompletion {
  id: string
  object: 'chat.completion'
  created: number
  model: string
  choices: {
    index: number
    message: {
      role: 'assistant'
      content: string | null
      refusal?: string | null
      tool_calls?: ToolCall[]
      [key: string]: unknown
    }
    finish_reason: FinishReason | null
    logprobs?: unknown
  }[]
  usage?: CompletionUsage
  [key: string]: unknown
}

export interface ToolCallDelta {
  index: number
  id?: string
  type?: 'function'
  function?: { name?: string; arguments?: string }
  extra_content?: unknown
}

export interface ChatChunk {
  id: string
  object: 'chat.completion.chunk'
  created: number
  model: string
  choices: {
    index: number
    delta: {
      role?: 'assistant'
      content?: string | null
      refusal?: string | null
      tool_calls?: ToolCallDelta[]
      [key: string]: unknown
    }
    finish_reason: FinishReason | null
    logprobs?: unknown
  }[]
  usage?: CompletionUsage | null
  [key: string]: unknown
}
