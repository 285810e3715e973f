import { createHash } from 'node:crypto'

/** One SQL statement with its values; `Row` is the shape it returns. The name makes the server prepare it once. */
export interface Statement<Row> {
  readonly text: string
  readonly values: readonly unknown[]
  readonly name: string
  /** Outside a transaction it may share a connection with the point reads of other requests. */
  readonly isPointRead?: boolean
  /** Type only: keeps the row type with the statement. */
  readonly row?: Row
}

class Fragment {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
  constructor(strings: readonly string[], values: readonly unknown[]) {
    this.strings = strings
    this.values = values
  }
}

const names = new Map<string, string>()

function nameOf(text: string): string {
  let name = names.get(text)
  if (!name) {
    name = 's_' + createHash('sha1').update(text).digest('base64url').slice(0, 20)
    names.set(text, name)
  }
  return name
}

function render(strings: readonly string[], values: readonly unknown[], out: unknown[]): string {
  let text = strings[0] ?? ''
  values.forEach((value, index) => {
    if (value instanceof Fragment) text += render(value.strings, value.values, out)
    else text += `$${out.push(value)}`
    text += strings[index + 1] ?? ''
  })
  return text
}

/** A statement from a template: every `${value}` becomes a parameter, a `part` is inlined. */
export function sql<Row = unknown>(strings: TemplateStringsArray, ...values: unknown[]): Statement<Row> {
  const out: unknown[] = []
  const text = render(strings, values, out).trim()
  return { text, values: out, name: nameOf(text) }
}

/** A statement of a library that brings its own SQL. */
export const prepared = (
  text: string,
  values: readonly unknown[] = [],
): Statement<Record<string, unknown>> => ({
  text,
  values,
  name: nameOf(text),
})

/**
 * The same statement, planned each time for its values: where a plan that suits a rare value would be slow for a
 * frequent one.
 */
export const planAnew = <Row>(statement: Statement<Row>): Statement<Row> => ({ ...statement, name: '' })

/** A read of few rows by an index: so quick that no other read minds to wait for it. */
export const pointRead = <Row>(statement: Statement<Row>): Statement<Row> => ({
  ...statement,
  isPointRead: true,
})

/** A piece of SQL to put into a statement, with values of its own. */
export const part = (strings: TemplateStringsArray, ...values: unknown[]): Fragment =>
  new Fragment(strings, values)

/** Pieces joined by a separator, such as ` and `. An empty list gives `fallback`. */
export function joined(parts: readonly Fragment[], separator: string, fallback = 'true'): Fragment {
  if (!parts.length) return new Fragment([fallback], [])
  const strings = ['', ...parts.slice(1).map(() => separator), '']
  return new Fragment(strings, parts)
}

/** True where one of the conditions is, or more. */
export const anyOf = (conditions: readonly Fragment[]): Fragment =>
  part`(${joined(
    conditions.map(condition => part`(${condition})`),
    ' or ',
    'false',
  )})`

/** A name from the program's own tables (never from a request) put into the text as it is. */
export function identifier(name: string): Fragment {
  if (!/^[a-z_][a-z0-9_.]*$/.test(name)) throw new Error(`not an identifier: ${name}`)
  return new Fragment([name], [])
}

const columns = new Map<string, Fragment>()

/** The column behind a field of a row: `createdAt` names created_at. */
export function column(field: string): Fragment {
  let found = columns.get(field)
  if (!found) columns.set(field, (found = identifier(columnNameOf(field))))
  return found
}

/** `createdAt` for created_at; rows have camelCase fields. */
export const fieldNameOf = (column: string): string =>
  column.replaceAll(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase())

const columnNameOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** A value for a json or jsonb column. */
export const json = (value: unknown): string => JSON.stringify(value)

export type SqlPart = Fragment

/** Inserts, and updates of one row each. */
export interface Writes {
  inserts?: readonly Fragment[]
  updates?: readonly Fragment[]
}

/**
 * All of them in one statement. It fails unless each update finds its row, so that it can be sent together with the commit.
 * An insert needs no look at its rows: it writes them or fails.
 */
export function writeTogether({ inserts = [], updates = [] }: Writes): Statement<unknown> {
  const writes = [...updates.map(update => part`${update} returning true as found`), ...inserts]
  const steps = writes.map((write, index) => part`${identifier(`w${index}`)} as (${write})`)
  const found = updates.map((_, index) => part`(select found from ${identifier(`w${index}`)})`)
  return sql`with ${joined(steps, ', ')} select ${requireWritten(joined(found, ' and '))}`
}

/** An expression that fails unless `condition` holds: for a statement that nothing waits for. */
export const requireWritten = (condition: Fragment): Fragment =>
  part`case when ${condition} then true else platform_not_written() end`
