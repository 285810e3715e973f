import { isRecord } from '#platform/kernel/unknown'

const WIDTH = 90

interface Syntax {
  scalar(value: unknown): string
  key(name: string): string
  /** What comes inside the braces of an object on one line. */
  padding: string
  trailing: string
}

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`

const JAVASCRIPT: Syntax = {
  scalar: value => (typeof value === 'string' ? quoted(value) : JSON.stringify(value)),
  key: name => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)),
  padding: ' ',
  trailing: ',',
}

const PYTHON_CONSTANTS = new Map<unknown, string>([
  [null, 'None'],
  [true, 'True'],
  [false, 'False'],
])

const PYTHON: Syntax = {
  scalar: value => PYTHON_CONSTANTS.get(value) ?? JSON.stringify(value),
  key: name => JSON.stringify(name),
  padding: '',
  trailing: ',',
}

const JSON_TEXT: Syntax = {
  scalar: value => JSON.stringify(value),
  key: name => JSON.stringify(name),
  padding: '',
  trailing: '',
}

/** Writes a value of JSON; what does not fit into a line goes to several. */
function write(value: unknown, syntax: Syntax, indent: string): string {
  const isList = Array.isArray(value)
  if (!isList && !isRecord(value)) return syntax.scalar(value)
  const [open, close, padding] = isList ? ['[', ']', ''] : ['{', '}', syntax.padding]
  const parts = isList
    ? (deeper: string) => value.map(each => write(each, syntax, deeper))
    : (deeper: string) =>
        Object.entries(value).map(([name, each]) => `${syntax.key(name)}: ${write(each, syntax, deeper)}`)
  const line = parts('')
  if (!line.length) return open + close
  const short = open + padding + line.join(', ') + padding + close
  if (short.length + indent.length <= WIDTH && !short.includes('\n')) return short
  const deeper = `${indent}  `
  return `${open}\n${deeper}${parts(deeper).join(`,\n${deeper}`)}${syntax.trailing}\n${indent}${close}`
}

export const javascriptOf = (value: unknown, indent = ''): string => write(value, JAVASCRIPT, indent)
export const pythonOf = (value: unknown, indent = ''): string => write(value, PYTHON, indent)
export const jsonOf = (value: unknown, indent = ''): string => write(value, JSON_TEXT, indent)
