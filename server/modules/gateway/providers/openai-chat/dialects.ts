import type { ChatRequest } from '../../core/chat.ts'
import type { ProviderId } from '../../core/model.ts'
import { callIds } from '../call-ids.ts'

/** How a provider differs from the chat completions of OpenAI. */
export interface Dialect {
  maxTokens: 'max_tokens' | 'max_completion_tokens'
  /** `stream_options.include_usage` is accepted; otherwise usage comes without it. */
  streamOptions: boolean
  /** Knows the role `developer`; otherwise it becomes `system`. */
  developerRole: boolean
  /** Reasoning tokens are not part of `completion_tokens`: the answer has `total_tokens` less the prompt. */
  reasoningApart: boolean
  /**
   * Reads what it thought before (`reasoning_content`), and may need it in a message with tool calls; undefined where the key
   * is refused or of no use.
   */
  thoughts?: 'read' | 'needed'
  /** Signs its tool calls (`extra_content`), and refuses calls without a signature. */
  signsCalls?: boolean
  /** The form of the id of a tool call, where there is a rule. */
  callId?: (id: string) => string
  /** Refuses what a user says right after the result of a tool: a turn of the assistant comes between. */
  answersResults?: boolean
  /** Refuses an empty text of the assistant. */
  fillsTurns?: boolean
  /** Takes parts only where one is an image: instructions and results of tools must be a text. */
  joinsTexts?: boolean
  /** When `temperature` and `top_p` are accepted; otherwise they are left out. */
  samples: 'always' | 'without_reasoning' | 'never'
  /** When `metadata` is accepted; otherwise it is left out. */
  labels: 'always' | 'of_stored'
  /** The key that limits its thoughts, which the limit of the answer does not. */
  thoughtLimit?: string
  /** What turns thinking off, where no effort does: for requests without it, and for forced calls, which are refused otherwise. */
  noThinking?: Readonly<Record<string, unknown>>
  /** The only keys that are accepted; undefined where unknown keys do no harm. */
  accepts?: ReadonlySet<string>
  /** Keys that the provider refuses and that only give hints. */
  drops: readonly string[]
  /** Another name of a key. */
  renames: Readonly<Record<string, string>>
  /** Parameters that change the answer and that the provider lacks. */
  lacks: readonly string[]
}

const STANDARD: Dialect = {
  maxTokens: 'max_tokens',
  streamOptions: true,
  developerRole: false,
  reasoningApart: false,
  samples: 'always',
  labels: 'always',
  drops: ['store', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'safety_identifier'],
  renames: {},
  lacks: ['n', 'logit_bias', 'moderation'],
}

const MISTRAL_KEYS = [
  'model',
  'messages',
  'temperature',
  'top_p',
  'max_tokens',
  'stream',
  'stop',
  'random_seed',
  'response_format',
  'tools',
  'tool_choice',
  'presence_penalty',
  'frequency_penalty',
  'n',
  'prediction',
  'parallel_tool_calls',
  'prompt_mode',
  'reasoning_effort',
  'metadata',
  'safe_prompt',
]

const GOOGLE_KEYS = [
  'model',
  'messages',
  'temperature',
  'top_p',
  'max_tokens',
  'stream',
  'stream_options',
  'stop',
  'response_format',
  'tools',
  'tool_choice',
  'presence_penalty',
  'frequency_penalty',
  'reasoning_effort',
  'extra_body',
]

type ChatProvider = Exclude<ProviderId, 'anthropic'>

const DIALECTS: Readonly<Record<ChatProvider, Dialect>> = {
  openai: {
    ...STANDARD,
    maxTokens: 'max_completion_tokens',
    developerRole: true,
    samples: 'without_reasoning',
    labels: 'of_stored',
    callId: callIds.openaiChat,
    drops: [],
    lacks: [],
  },
  google: {
    ...STANDARD,
    reasoningApart: true,
    signsCalls: true,
    accepts: new Set(GOOGLE_KEYS),
    // Read for embeddings and marks of parts: of chat completions `accepts` decides.
    drops: [...STANDARD.drops, 'user'],
    lacks: ['logit_bias', 'moderation', 'seed', 'logprobs', 'top_logprobs', 'parallel_tool_calls'],
  },
  mistral: {
    ...STANDARD,
    streamOptions: false,
    callId: callIds.mistral,
    answersResults: true,
    accepts: new Set(MISTRAL_KEYS),
    renames: { seed: 'random_seed' },
    lacks: ['logit_bias', 'moderation', 'logprobs', 'top_logprobs'],
  },
  xai: {
    ...STANDARD,
    maxTokens: 'max_completion_tokens',
    reasoningApart: true,
    lacks: ['logit_bias', 'moderation', 'presence_penalty', 'frequency_penalty', 'stop'],
  },
  deepseek: {
    ...STANDARD,
    thoughts: 'needed',
    joinsTexts: true,
    noThinking: { thinking: { type: 'disabled' } },
    lacks: [...STANDARD.lacks, 'seed'],
  },
  moonshot: {
    ...STANDARD,
    thoughts: 'needed',
    noThinking: { thinking: { type: 'disabled' } },
    fillsTurns: true,
    samples: 'never',
    lacks: [...STANDARD.lacks, 'presence_penalty', 'frequency_penalty'],
  },
  alibaba: {
    ...STANDARD,
    thoughts: 'read',
    thoughtLimit: 'thinking_budget',
    noThinking: { enable_thinking: false },
    // With it an image has up to 16,384 tokens, which no reservation expects.
    lacks: [...STANDARD.lacks, 'vl_high_resolution_images'],
  },
  zai: {
    ...STANDARD,
    thoughts: 'read',
    joinsTexts: true,
    noThinking: { thinking: { type: 'disabled' } },
    renames: { user: 'user_id' },
    lacks: [...STANDARD.lacks, 'seed', 'logprobs', 'top_logprobs', 'tool_choice'],
  },
}

export const dialectOf = (provider: ProviderId): Dialect =>
  provider === 'anthropic' ? STANDARD : DIALECTS[provider]

/** Whether thoughts about a request are not within the limit of its answer. */
export const thinksBeyondLimit = (provider: ProviderId, request: ChatRequest): boolean =>
  dialectOf(provider).thoughtLimit !== undefined &&
  (request['enable_thinking'] ?? request.reasoning_effort !== 'none') !== false
