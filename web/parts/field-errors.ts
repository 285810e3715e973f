import { asProblem, fieldError, type Problem } from '../api/problem.ts'

/** The fields that a refusal is about, where its message does not begin with the name of one. */
const FIELDS_OF_CODE: Readonly<Record<string, readonly string[]>> = {
  INVALID_CREDENTIALS: ['password', 'currentPassword'],
  EMAIL_TAKEN: ['email'],
  INVALID_CODE: ['token'],
  WRONG_SECOND_FACTOR: ['totpCode'],
}

const messageAt = (problem: Problem, field: string): string | undefined =>
  FIELDS_OF_CODE[problem.code]?.includes(field) ? problem.message : fieldError(problem, field)

/** What a refusal says of each of these fields, in their order; empty if it names none of them. */
export function messagesAt(error: unknown, fields: readonly string[]): Readonly<Record<string, string>> {
  const problem = asProblem(error)
  return Object.fromEntries(
    fields.flatMap(field => {
      const text = messageAt(problem, field)
      return text === undefined ? [] : [[field, text]]
    }),
  )
}
