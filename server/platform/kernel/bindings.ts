/** A handler that a module binds to an event or a port of a lower module. */
export interface Binding {
  /** The event or the port. */
  target: object
  /** Of a port with one implementation per key. */
  key?: string
  handler: unknown
}

interface Bound<Handler> {
  module: string
  key?: string
  handler: Handler
}

/** The subscribers of events and the implementations of ports in one running service, in the order of the registry. */
export class Bindings {
  readonly #bound = new Map<object, Bound<unknown>[]>()

  add(module: string, bindings: readonly Binding[] = []): void {
    for (const { target, key, handler } of bindings)
      this.#bound.set(target, [...(this.#bound.get(target) ?? []), { module, key, handler }])
  }

  /** What is bound to `target`. Events and ports pass the type of their own handlers: `with` accepts no others. */
  of<Handler>(target: object): readonly Bound<Handler>[] {
    return (this.#bound.get(target) ?? []) as Bound<Handler>[]
  }

  get targets(): object[] {
    return [...this.#bound.keys()]
  }
}
