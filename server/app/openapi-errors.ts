import { STATUS_CODES } from 'node:http'
import type { App } from '#platform/http/route'
import { ErrorBody } from '#platform/http/schema'

type Errors = ReadonlyMap<string, readonly number[]>
interface Operation { operationId?: string; responses?: Record<string, unknown> }
interface Document { paths?: Record<string, Record<string, Operation>>; components?: { schemas?: Record<string, unknown> } }

/** The error statuses of each operation that is declared from now on, by its id. */
export function collectErrors(app: App): Errors {
  const errors = new Map<string, readonly number[]>()
  app.addHook('onRoute', ({ schema, config, method }) => {
    const { operationId } = (schema ?? {}) as { operationId?: string }
    if (operationId && method !== 'HEAD') errors.set(operationId, config?.errors ?? [])
  })
  return errors
}

/** Writes them into the document; all have the one shape of the component `Error`. */
export function addErrors<T extends object>(document: T, errors: Errors): T {
  const { paths = {}, components = {} } = document as Document
  components.schemas = { ...components.schemas, Error: ErrorBody }
  for (const operation of Object.values(paths).flatMap(item => Object.values(item))) {
    for (const status of errors.get(operation.operationId ?? '') ?? []) {
      operation.responses = {
        ...operation.responses,
        [status]: { description: STATUS_CODES[status], content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } },
      }
    }
  }
  return Object.assign(document, { components })
}
