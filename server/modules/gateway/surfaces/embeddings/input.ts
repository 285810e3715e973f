import type { EmbeddingsBody } from './schema.ts'

type Input = EmbeddingsBody['input']
type OneInput = string | readonly number[]

/** The texts or tokens that each get a vector. */
export function inputsOf(input: Input): readonly OneInput[] {
  if (typeof input === 'string') return [input]
  const tokens: number[] = []
  const inputs: OneInput[] = []
  for (const each of input)
    if (typeof each === 'number') tokens.push(each)
    else inputs.push(each)
  return tokens.length ? [tokens] : inputs
}

/**
 * Upper bound of the tokens that a provider can count: each token stands for at least one byte. An input of more tokens than
 * the model takes is refused or cut off by the provider.
 */
export const tokenBound = (input: Input, context: number): number =>
  inputsOf(input).reduce((sum, each) => sum + Math.min(boundOf(each), context), 0)

const boundOf = (input: OneInput): number =>
  // A provider may add a token at the beginning and one at the end.
  (typeof input === 'string' ? Buffer.byteLength(input) : input.length) + 2
