import type { PromptSize } from '../core/call.ts'
import type { ChatRequest } from '../core/chat.ts'
import type { TokenCounter } from './parts.ts'

/** Counts when it is first asked: the tokenizer takes longer than the rest of a selection, and most requests of a named model need no count. */
export class CountedPrompt implements PromptSize {
  readonly #counter: Pick<TokenCounter, 'ofPrompt' | 'boundOfPrompt'>
  readonly #request: ChatRequest
  #tokens: number | undefined
  #bound: number | undefined

  constructor(counter: Pick<TokenCounter, 'ofPrompt' | 'boundOfPrompt'>, request: ChatRequest) {
    this.#counter = counter
    this.#request = request
  }

  get tokens(): number {
    return (this.#tokens ??= this.#counter.ofPrompt(this.#request))
  }

  get bound(): number {
    return (this.#bound ??= this.#counter.boundOfPrompt(this.#request))
  }
}
