import { randomBytes } from 'node:crypto'
import { v7, validate } from 'uuid'

/** A new id: UUIDv7, so that ids sort by the time of their creation. */
export const newId = (): string => v7()

/** Ids are plain strings on the wire: what is no UUID is an unknown id, never a 400. */
export const isId = (text: string): boolean => validate(text)

/** Random text for links and one-time tokens: `bytes` of entropy (16 = 128 bits) in base64url. */
export const randomToken = (bytes = 24): string => randomBytes(bytes).toString('base64url')
