import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants'
import { isRecord } from '#platform/kernel/unknown'
import type { ChatMessage, ChatRequest } from '../core/chat.ts'
import { Vocabulary } from './vocabulary.ts'

/** Longer texts are estimated: the tokenizer takes about 0.1 ms for each 1,000 characters. */
const COUNTED_CHARACTERS = 4096
/** Parts of a longer text that are counted, evenly spread over it. */
const SAMPLES = 8
const SAMPLE_CHARACTERS = COUNTED_CHARACTERS / SAMPLES

/**
 * The tokenizer takes quadratic time for a run of letters, spaces, or symbols with line ends between them, so that long ones
 * are counted in pieces.
 */
const LONGEST_RUN = 32
const LONG_RUNS = /[\p{L}\p{M}]{33,}|\s{33,}|(?:[^\s\p{L}\p{N}]|[\r\n]){33,}/gu

/** Role and delimiters of a message in the template of a model. */
const MESSAGE_TOKENS = 4
/** The most that a vendor states for an image that it scales down by itself: about 1,600 (Anthropic, 1.15 megapixels). */
const IMAGE_TOKENS = 1600

/** Upper bounds of what no vendor states exactly. */
const BOUND = {
  /** The template around all messages. */
  request: 64,
  message: 16,
  /** High-resolution modes take up to about 4,800. */
  image: 5000,
  /** Anthropic adds up to about 800 tokens of instructions to a request with tools. */
  tools: 1024,
}

/** Read with the first text, which takes 0.1 s. */
let vocabulary: Vocabulary | undefined

/** The names of special tokens in a prompt are text. */
function countExactly(text: string): number {
  vocabulary ??= new Vocabulary()
  let tokens = 0
  let counted = 0
  for (const { 0: run, index } of text.matchAll(LONG_RUNS)) {
    tokens += countPieces(vocabulary, text.slice(counted, index))
    for (let start = 0; start < run.length; start += LONGEST_RUN)
      tokens += countPieces(vocabulary, run.slice(start, start + LONGEST_RUN))
    counted = index + run.length
  }
  return tokens + countPieces(vocabulary, text.slice(counted))
}

function countPieces(known: Vocabulary, text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(O200K_TOKEN_SPLIT_REGEX)) tokens += known.count(piece)
  return tokens
}

/**
 * Tokens of a text in the vocabulary of OpenAI's models: counted up to 4,096 characters, extrapolated from eight samples
 * above. Other vendors' models count up to about a third more or less.
 */
export const countText = (text: string): number => countTexts([text])

/** Of several texts: the same for all of them together. */
export function countTexts(texts: readonly string[]): number {
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length > COUNTED_CHARACTERS) return estimate(texts.join('\n'))
  return texts.reduce((sum, text) => (text ? sum + countExactly(text) : sum), 0)
}

function estimate(text: string): number {
  const step = (text.length - SAMPLE_CHARACTERS) / (SAMPLES - 1)
  let sampled = 0
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = Math.floor(sample * step)
    sampled += countExactly(text.slice(start, start + SAMPLE_CHARACTERS))
  }
  return Math.ceil((sampled * text.length) / (SAMPLES * SAMPLE_CHARACTERS))
}

/**
 * Tokens of the prompt of a request, for routing, limits per minute and display. An image counts 1,600. What is billed is the
 * usage that the provider reports.
 */
export function countTokens(request: ChatRequest): number {
  const { texts, images } = partsOf(request)
  return countTexts(texts) + images * IMAGE_TOKENS + request.messages.length * MESSAGE_TOKENS
}

/**
 * At least as many tokens as any vendor counts for the prompt: its bytes, as no token is shorter than one, and the most that
 * templates and images add. For reservations.
 */
export function upperBoundTokens(request: ChatRequest): number {
  const { texts, images, count } = partsOf(request)
  let sum = BOUND.request + request.messages.length * BOUND.message + count + images * BOUND.image
  if (request.tools?.length) sum += BOUND.tools
  for (const text of texts) sum += boundText(text)
  return sum
}

/** The upper bound for a text alone. */
export const boundText = (text: string): number => Buffer.byteLength(text)

interface PromptParts {
  /** All that a provider puts into the prompt as text. */
  texts: string[]
  images: number
  /** Parts of contents: some providers get them joined by line breaks. */
  count: number
}

function partsOf(request: ChatRequest): PromptParts {
  const parts: PromptParts = { texts: [], images: 0, count: 0 }
  for (const message of request.messages) addMessage(parts, message)
  for (const extra of [request.tools, request.functions, request.response_format, request.output_config])
    if (extra) parts.texts.push(JSON.stringify(extra))
  return parts
}

function addMessage(parts: PromptParts, message: ChatMessage): void {
  for (const [key, value] of Object.entries(message)) {
    if (key === 'role' || key === 'cache_control' || value === null || value === undefined) continue
    if (key === 'content' && Array.isArray(value)) for (const part of value) addPart(parts, part)
    else parts.texts.push(textOf(value))
  }
}

/**
 * Every key of a part counts, because parts are sent as they came: a refusal or a thought has its text in another key. Marks
 * for caches are no text, and an image counts at its allowance.
 */
function addPart(parts: PromptParts, part: unknown): void {
  parts.count++
  if (!isRecord(part)) return void parts.texts.push(JSON.stringify(part))
  const isImage = part['type'] === 'image_url'
  if (isImage) parts.images++
  for (const [key, value] of Object.entries(part)) {
    if (key === 'type' || key === 'cache_control' || (isImage && key === 'image_url')) continue
    if (value !== null && value !== undefined) parts.texts.push(textOf(value))
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
