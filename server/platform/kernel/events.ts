import type { Binding } from './bindings.ts'
import type { Tx } from './db.ts'

type Subscriber<Payload> = (tx: Tx, payload: Payload) => Promise<void>

/** A message in the past tense that a lower module publishes and upper modules subscribe to. */
export class DomainEvent<Payload> {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  /** For `subscribes` of the module that subscribes. Its name states effect and trigger: `freezeDealsOfRevokedAgent`. */
  with(subscriber: Subscriber<Payload>): Binding {
    return { target: this, handler: subscriber }
  }
}

/** `name` is `noun.participle`, such as `escrow.released`. */
export const defineEvent = <Payload>(name: string): DomainEvent<Payload> => new DomainEvent(name)

/** Runs the subscribers of an event in this transaction, in the order of the registry; one that fails rolls it back. */
export async function publish<Payload>(
  tx: Tx,
  event: DomainEvent<Payload>,
  payload: NoInfer<Payload>,
): Promise<void> {
  for (const { handler } of tx.bindings.of<Subscriber<Payload>>(event)) await handler(tx, payload)
}
