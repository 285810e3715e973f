import type { ErrorObject } from 'ajv'
import type { FastifySchemaValidationError } from 'fastify'
import { NAME_RULE } from './display-name.ts'
import { PATTERN_WORDS } from './pattern-words.ts'

type Problem =
  | Pick<ErrorObject, 'instancePath' | 'keyword' | 'params' | 'message'>
  | FastifySchemaValidationError

/** One sentence per validation error, at most 20. */
export function describeErrors(problems: readonly Problem[], part: string): string[] {
  const byPath = Map.groupBy(problems.slice(0, 100), problem => problem.instancePath)
  const paths = [...byPath.keys()]
  const sentences = [...byPath].flatMap(([path, each]) =>
    each.every(isOtherwiseNull) && paths.some(inner => inner.startsWith(`${path}/`))
      ? []
      : describePath(each, part),
  )
  return [...new Set(sentences)].slice(0, 20)
}

/** The errors of one value. Each alternative of a union reports its own error: they are merged into one sentence. */
function describePath(problems: readonly Problem[], part: string): string[] {
  const path = problems[0]?.instancePath.slice(1).replaceAll('/', '.') || part
  const constants = problems
    .filter(({ keyword }) => keyword === 'const')
    .map(({ params }): unknown => params.allowedValue)
  const mayBeNull = problems.some(isNullOnly) || constants.includes(null)
  const values = constants.filter(value => value !== null)
  const rest = problems.filter(
    problem =>
      problem.keyword !== 'const' &&
      !isNullOnly(problem) &&
      (problem.keyword !== 'anyOf' || problems.length === 1),
  )
  const sentences = oneEach(rest).map(problem => `${describe(problem, path)}${mayBeNull ? ' or null' : ''}`)
  // A wrong type says no more than the list of values does.
  if (values.length)
    return [
      `${path} must be ${values.length > 1 ? 'one of ' : ''}${values.map(quoted).join(', ')}${mayBeNull ? ' or null' : ''}`,
    ]
  return sentences.length ? sentences : [`${path} must be null`]
}

// Each of these names another field. All others are about the one value: the first says enough, such as "must not be empty" without "must not be blank".
const ABOUT_FIELDS = new Set(['required', 'additionalProperties', 'unevaluatedProperties'])

/** The problems that get a sentence. A value of the wrong type for every alternative is one problem that names the types. */
function oneEach(problems: readonly Problem[]): Problem[] {
  const fields = problems.filter(({ keyword }) => ABOUT_FIELDS.has(keyword))
  const [first] = problems.filter(({ keyword }) => !ABOUT_FIELDS.has(keyword) && keyword !== 'type')
  const wrong = problems.filter(({ keyword }) => keyword === 'type')
  const types = wrong.map(({ params }) => String(params.type))
  if (first) return [...fields, first]
  return [
    ...fields,
    ...wrong
      .slice(0, 1)
      .map(problem => ({ ...problem, message: `must be ${[...new Set(types)].join(' or ')}` })),
  ]
}

const quoted = (value: unknown): string => JSON.stringify(value)

/** Of a value that may be null instead: what is wrong inside of it says more. */
const isOtherwiseNull = (problem: Problem): boolean => isNullOnly(problem) || problem.keyword === 'anyOf'

const isNullOnly = ({ keyword, params }: Problem): boolean => keyword === 'type' && params.type === 'null'

function describe(problem: Problem, path: string): string {
  const params: Record<string, unknown> = problem.params
  switch (problem.keyword) {
    case 'required':
      return `${problem.instancePath ? `${path}.` : ''}${String(params.missingProperty)} is required`
    case 'additionalProperties':
      return `unknown field ${problem.instancePath ? `${path}.` : ''}${String(params.additionalProperty).toWellFormed().slice(0, 100)}`
    case 'enum':
      return `${path} must be one of ${[params.allowedValues].flat().map(quoted).join(', ')}`
    case 'format':
      return params.format === 'display-name'
        ? `${path} ${NAME_RULE}`
        : `${path} must be a valid ${String(params.format)}`
    case 'minLength':
      return Number(params.limit) === 1
        ? `${path} must not be empty`
        : `${path} must have at least ${String(params.limit)} characters`
    case 'maxLength':
      return `${path} must have at most ${String(params.limit)} characters`
    case 'minItems':
    case 'minProperties':
      return Number(params.limit) === 1
        ? `${path} must not be empty`
        : `${path} must have at least ${String(params.limit)} entries`
    case 'maxItems':
    case 'maxProperties':
      return `${path} must have at most ${String(params.limit)} entries`
    case 'pattern':
      return `${path} ${PATTERN_WORDS[String(params.pattern)] ?? `must match ${String(params.pattern)}`}`
    default:
      return `${path} ${problem.message ?? 'is invalid'}`
  }
}
