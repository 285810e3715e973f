import type { App } from '#platform/http/operations'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** An operation as a document names it; `url` has the parameters of the path in braces. */
export interface NamedOperation {
  method: Method
  url: string
}

/** What documents say of the operations of this service: they name only those that it has. */
export class Directory {
  readonly #app: App
  readonly publicUrl: string

  constructor(app: App, publicUrl: string) {
    this.#app = app
    this.publicUrl = publicUrl
  }

  /** Whether the service has the operation, such as `POST /agents/{id}/publish`. */
  has(operation: string): boolean {
    const [method, path] = partsOf(operation)
    return this.#app.hasRoute({ method, url: path.replaceAll(/\{(\w+)\}/g, ':$1') })
  }

  /** Those of the operations that the service has. */
  operations(...names: string[]): NamedOperation[] {
    return names
      .filter(name => this.has(name))
      .map(name => {
        const [method, path] = partsOf(name)
        return { method, url: this.url(path) }
      })
  }

  /** The same by a name for each. */
  named(operations: Readonly<Record<string, string>>): Record<string, NamedOperation> {
    return Object.fromEntries(
      Object.entries(operations).flatMap(([name, operation]) =>
        this.operations(operation).map(found => [name, found]),
      ),
    )
  }

  url(path: string): string {
    return this.publicUrl + path
  }

  /** A reference to a schema of the OpenAPI document. */
  schema(name: string): { $ref: string } {
    return { $ref: `${this.url('/openapi.json')}#/components/schemas/${name}` }
  }
}

function partsOf(operation: string): [Method, string] {
  const [method = '', path = ''] = operation.split(' ')
  return [method as Method, path]
}
