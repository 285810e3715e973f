import type { paths } from './schema.ts'

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
type Names<P extends keyof paths> = `${Uppercase<Method & keyof paths[P]>} ${P}`

/** An operation of the OpenAPI document, such as `POST /ap2/negotiate`. */
export type Operation = { [P in keyof paths]: Names<P> }[keyof paths]

type Of<O extends Operation> = O extends `${infer M} ${infer P}`
  ? P extends keyof paths
    ? Lowercase<M> extends keyof paths[P]
      ? paths[P][Lowercase<M>]
      : never
    : never
  : never

type JsonOf<T> = T extends { content: { 'application/json': infer B } } ? B : never

/** What an operation accepts as its body: JSON, or the bytes of a file. */
export type BodyOf<O extends Operation> =
  Of<O> extends { requestBody?: infer R } ? SentAs<Exclude<R, undefined>> : never
type SentAs<T> = T extends { content: { 'application/octet-stream': unknown } }
  ? Uint8Array | Blob
  : JsonOf<T>
/** What an operation accepts as its query. */
export type QueryOf<O extends Operation> =
  Of<O> extends { parameters: { query?: infer Q } } ? Exclude<Q, undefined> : never
/** The names in the path of an operation. */
type PathOf<O extends Operation> = Of<O> extends { parameters: { path: infer P } } ? P : never
type Responses<O extends Operation> = Of<O> extends { responses: infer R } ? R[keyof R] : never
/** JSON where there is some, the bytes of a file or a picture, or a text. */
type ContentOf<T> = T extends { content: { 'application/json': infer B } }
  ? B
  : T extends { content: infer C }
    ? keyof C extends 'application/octet-stream' | `image/${string}` | 'application/pdf'
      ? Uint8Array<ArrayBuffer>
      : string
    : never
/** What an operation returns: JSON, bytes, a text, or nothing. */
export type ResultOf<O extends Operation> = [ContentOf<Responses<O>>] extends [never]
  ? undefined
  : ContentOf<Responses<O>>
/** One item of a list. */
export type ItemOf<O extends Operation> =
  ResultOf<O> extends { items: (infer I)[] }
    ? I
    : ResultOf<O> extends { agents: (infer I)[] }
      ? I
      : ResultOf<O> extends { data: (infer I)[] }
        ? I
        : never

/** Options of every request. */
export interface CallOptions {
  headers?: Record<string, string>
  /**
   * Random by default; null sends none. Give your own to repeat a write after a restart of your program.
   */
  idempotencyKey?: string | null
  signal?: AbortSignal
  /** For each attempt. */
  timeoutMs?: number
  maxRetries?: number
}

/** Assignable to a type in which nothing is required. */
type None = Record<string, never>

type Part<Name extends string, T, Needed = T> = [T] extends [never]
  ? { [N in Name]?: never }
  : None extends Needed
    ? { [N in Name]?: T }
    : { [N in Name]: T }

/** Path, query and body of one operation, with the options of every request. */
export type RequestOf<O extends Operation> = CallOptions &
  Part<'path', PathOf<O>> &
  Part<'query', QueryOf<O>> &
  Part<'body', BodyOf<O>>

/** The last argument is optional where nothing in it is required. */
export type Arguments<O extends Operation> =
  None extends RequestOf<O> ? [options?: RequestOf<O>] : [options: RequestOf<O>]
