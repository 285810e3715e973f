import pg from 'pg'
import { fieldNameOf, type Statement } from '../sql.ts'
import { asError } from '../unknown.ts'
import { toWire, type WireValue } from './value.ts'

type Row = Record<string, unknown>

/** What a statement gave; `count` is the number of rows that it read or wrote. */
export interface Answer {
  /** With the columns in camelCase. */
  rows: readonly Row[]
  command: string
  count: number
}

type Parser = (text: string) => unknown

/** The columns of a statement's rows, known from its first run. */
interface Shape {
  names: readonly string[]
  parsers: readonly Parser[]
}

/** The statements that a connection has prepared, by name. */
export type Prepared = Map<string, Shape>

interface Step {
  statement: Statement<unknown>
  values: readonly WireValue[]
  shape: Shape
  rows: Row[]
  tag: string
  failure: Error | undefined
  resolve(answer: Answer): void
  reject(error: Error): void
}

/**
 * Statements that are sent in one packet and answered in one, so that neither side wakes up for each: only after the last
 * of them the server is asked to send what it has. After the first that fails, the server skips the others; they fail with its error.
 */
export class Batch extends pg.Query {
  readonly #prepared: Prepared
  readonly #parserOf: (type: number) => Parser
  readonly #steps: Step[] = []
  /** How many steps have been answered. */
  #answered = 0

  constructor(prepared: Prepared, parserOf: (type: number) => Parser) {
    super('')
    this.#prepared = prepared
    this.#parserOf = parserOf
  }

  add(statement: Statement<unknown>): Promise<Answer> {
    const values = statement.values.map(toWire)
    const shape = { names: [], parsers: [] }
    return new Promise((resolve, reject) => {
      this.#steps.push({ statement, values, shape, rows: [], tag: '', failure: undefined, resolve, reject })
    })
  }

  /** Called by the client, as are the handlers below. */
  override readonly submit = (connection: pg.Connection): void => {
    connection.stream.cork()
    for (const step of this.#steps) this.#send(step, connection)
    connection.sync()
    connection.stream.uncork()
  }

  #send(step: Step, connection: pg.Connection): void {
    const { name, text } = step.statement
    // The unnamed statement is the last one that was parsed, so it is parsed each time.
    const known = name ? this.#prepared.get(name) : undefined
    if (known) step.shape = known
    else {
      // After an error it is not known whether the statement was prepared: closing one that was not is no error.
      connection.close({ type: 'S', name }, true)
      connection.parse({ name, text, types: [] }, true)
      if (name) this.#prepared.set(name, step.shape)
    }
    connection.bind({ statement: name, values: [...step.values] }, true)
    if (!known) connection.describe({ type: 'P', name: '' }, true)
    connection.execute({}, true)
  }

  handleRowDescription({ fields }: { fields: readonly pg.FieldDef[] }): void {
    const shape = this.#steps[this.#answered]?.shape
    if (!shape) return
    shape.names = fields.map(field => fieldNameOf(field.name))
    shape.parsers = fields.map(field => this.#parserOf(field.dataTypeID))
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const step = this.#steps[this.#answered]
    if (!step || step.failure) return
    try {
      step.rows.push(toRow(step.shape, fields))
    } catch (error) {
      step.failure = asError(error)
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    const step = this.#steps[this.#answered++]
    if (step) step.tag = text
  }

  handleEmptyQuery(): void {
    this.#answered++
  }

  handleReadyForQuery(): void {
    this.#settle(this.#steps)
  }

  /** An error of a statement, or of the connection. Without a transaction the last one fails only when it is committed. */
  handleError(error: Error): void {
    const failed = Math.min(this.#answered, this.#steps.length - 1)
    this.#settle(this.#steps.slice(0, failed))
    for (const { statement, reject } of this.#steps.slice(failed)) {
      this.#prepared.delete(statement.name)
      reject(error)
    }
  }

  #settle(steps: readonly Step[]): void {
    for (const { rows, tag, failure, resolve, reject } of steps) {
      if (failure) reject(failure)
      else resolve({ rows, command: commandOf(tag), count: countOf(tag) })
    }
  }
}

function toRow({ names, parsers }: Shape, fields: readonly (string | null)[]): Row {
  const row: Row = {}
  for (let index = 0; index < names.length; index++) {
    const text = fields[index] ?? null
    row[names[index] ?? ''] = text === null ? null : parsers[index]?.(text)
  }
  return row
}

/** "INSERT 0 1": command INSERT, 1 row. */
const commandOf = (tag: string): string => tag.split(' ', 1)[0] ?? ''
const countOf = (tag: string): number => Number(/\d+$/.exec(tag)?.[0] ?? 0)
