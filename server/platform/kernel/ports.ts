import type { Binding, Bindings } from './bindings.ts'
import type { Queryable, Tx } from './db.ts'

/**
 * How many modules implement a port: `one`; `all` that want to, where each may refuse by throwing; `collect`, where each
 * contributes a value; `by-key`, one per key.
 */
export type Cardinality = 'one' | 'all' | 'collect' | 'by-key'

type Implementation<Input, Output, On> = (on: On, input: Input) => Promise<Output>

/** What every port has, whatever its types. */
export abstract class AnyPort {
  readonly name: string
  readonly cardinality: Cardinality
  /** The keys that need an implementation. */
  readonly keys: readonly string[]

  constructor(name: string, cardinality: Cardinality, keys: readonly string[] = []) {
    this.name = name
    this.cardinality = cardinality
    this.keys = keys
  }
}

class Port<Input, Output, On extends Queryable> extends AnyPort {
  /** For `provides` of the module that implements the port. */
  with(implementation: Implementation<Input, Output, On>): Binding {
    return { target: this, handler: implementation }
  }

  protected implementations(on: On) {
    return on.bindings.of<Implementation<Input, Output, On>>(this)
  }
}

class OnePort<Input, Output, On extends Queryable> extends Port<Input, Output, On> {
  async call(on: On, input: Input): Promise<Output> {
    const [only] = this.implementations(on)
    if (!only) throw new Error(`no module implements the port ${this.name}`)
    return only.handler(on, input)
  }
}

class CollectPort<Input, Output, On extends Queryable> extends Port<Input, Output, On> {
  /** The values of all implementations, in the order of the registry; what they read is sent together. */
  call(on: On, input: Input): Promise<Output[]> {
    return Promise.all(this.implementations(on).map(({ handler }) => handler(on, input)))
  }
}

class AllPort<Input, On extends Queryable> extends Port<Input, void, On> {
  /** Runs all implementations in the order of the registry; the first that throws refuses. */
  async call(on: On, input: Input): Promise<void> {
    for (const { handler } of this.implementations(on)) await handler(on, input)
  }
}

class KeyedPort<Input, Output, Key extends string, On extends Queryable> extends AnyPort {
  override readonly keys: readonly Key[]

  constructor(name: string, keys: readonly Key[]) {
    super(name, 'by-key', keys)
    this.keys = keys
  }

  /** For `provides` of the module that implements the port for `key`. */
  with(key: Key, implementation: Implementation<Input, Output, On>): Binding {
    return { target: this, key, handler: implementation }
  }

  /** True if the port has this key, which text from the database may not be. */
  isKey(text: string): text is Key {
    return this.keys.some(key => key === text)
  }

  async call(on: On, key: Key, input: Input): Promise<Output> {
    const found = on.bindings
      .of<Implementation<Input, Output, On>>(this)
      .find(implementation => implementation.key === key)
    if (!found) throw new Error(`no module implements the port ${this.name} for ${key}`)
    return found.handler(on, input)
  }
}

export type { AllPort, CollectPort, KeyedPort, OnePort }

/**
 * A typed interface that a lower module declares (`ports` of its definition) and upper modules implement (`provides`).
 * `name` is `module.purpose`. An implementation runs in the caller's transaction, or on any `Queryable` where the port says
 * so. The service does not start while an implementation is missing.
 */
export function definePort<Input, Output, On extends Queryable = Tx>(
  name: string,
  cardinality: 'one',
): OnePort<Input, Output, On>
export function definePort<Input, On extends Queryable = Tx>(
  name: string,
  cardinality: 'all',
): AllPort<Input, On>
export function definePort<Input, Output, On extends Queryable = Tx>(
  name: string,
  cardinality: 'collect',
): CollectPort<Input, Output, On>
export function definePort<Input, Output, Key extends string, On extends Queryable = Tx>(
  name: string,
  cardinality: 'by-key',
  keys: readonly Key[],
): KeyedPort<Input, Output, Key, On>
export function definePort(name: string, cardinality: Cardinality, keys: readonly string[] = []): AnyPort {
  if (cardinality === 'by-key') return new KeyedPort(name, keys)
  if (cardinality === 'collect') return new CollectPort(name, cardinality)
  return cardinality === 'one' ? new OnePort(name, cardinality) : new AllPort(name, cardinality)
}

/** Throws for a port that lacks an implementation or has too many, and for one that is implemented but not declared. */
export function requireImplementations(declared: readonly AnyPort[], bindings: Bindings): void {
  for (const port of declared) for (const key of slotsOf(port)) requireOne(port, key, bindings)
  for (const target of bindings.targets)
    if (target instanceof AnyPort && !declared.includes(target))
      throw new Error(
        `${namesOf(bindings.of(target))} implements the port ${target.name}, which no module declares: add it to "ports" of the module that calls it`,
      )
}

// Each slot needs exactly one implementation.
const slotsOf = ({ cardinality, keys }: AnyPort): readonly (string | undefined)[] =>
  cardinality === 'one' ? [undefined] : keys

function requireOne(port: AnyPort, key: string | undefined, bindings: Bindings): void {
  const found = bindings.of(port).filter(bound => bound.key === key)
  const what = `the port ${port.name}${key === undefined ? '' : ` for ${key}`}`
  if (!found.length)
    throw new Error(`no module implements ${what}: add an implementation to "provides" of an upper module`)
  if (found.length > 1)
    throw new Error(
      `${what} takes one implementation and has several (${namesOf(found)}): remove all but one`,
    )
}

const namesOf = (bound: readonly { module: string }[]): string =>
  [...new Set(bound.map(({ module }) => module))].join(' and ')
