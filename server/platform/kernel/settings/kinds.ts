import { isIPv6 } from 'node:net'
import { urlsOf } from '../database/connection-string.ts'

export const WEB = ['http:', 'https:']

/** One environment variable: how it is read, what it is when absent, and what the documentation says. */
export interface Setting<T> {
  read(raw: string): T
  fallback: T
  doc: string
  secret?: boolean
}

export const text = (fallback: string, doc: string, secret = false): Setting<string> => ({
  read: raw => raw,
  fallback,
  doc,
  secret,
})
export const optional = (doc: string, secret = false): Setting<string | undefined> => ({
  read: raw => raw,
  fallback: undefined,
  doc,
  secret,
})
export const list = (doc: string, secret = false): Setting<string[]> => ({
  read: raw =>
    raw
      .split(',')
      .map(item => item.trim())
      .filter(Boolean),
  fallback: [],
  doc,
  secret,
})

export function integer(fallback: number, min: number, max: number, doc: string): Setting<number> {
  return { read: raw => whole(raw, min, max), fallback, doc }
}

export function optionalInteger(min: number, max: number, doc: string): Setting<number | undefined> {
  return { read: raw => whole(raw, min, max), fallback: undefined, doc }
}

function whole(raw: string, min: number, max: number): number {
  const value = Number(raw)
  if (!/^-?\d+$/.test(raw) || value < min || value > max)
    throw new Error(`must be a whole number from ${min} to ${max}`)
  return value
}

export function choice<T extends string>(fallback: T, options: readonly T[], doc: string): Setting<T> {
  const read = (raw: string): T => {
    const found = options.find(option => option === raw)
    if (!found) throw new Error(`must be one of ${options.join(', ')}`)
    return found
  }
  return { read, fallback, doc }
}

export function flag(fallback: boolean, doc: string): Setting<boolean> {
  const read = (raw: string) => {
    if (raw !== 'true' && raw !== 'false') throw new Error('must be true or false')
    return raw === 'true'
  }
  return { read, fallback, doc }
}

export function url(
  doc: string,
  secret = false,
  schemes: readonly string[] = [],
): Setting<string | undefined> {
  const read = (raw: string) => {
    if (!URL.canParse(raw)) throw new Error('must be a URL')
    if (schemes.length && !schemes.includes(new URL(raw).protocol))
      throw new Error(`must begin with ${schemes.join(' or ')}`)
    return raw.replace(/\/$/, '')
  }
  return { read, fallback: undefined, doc, secret }
}

/** What a socket is bound to. It becomes a part of URLs, so it must be one that URLs can have. */
export function address(fallback: string, doc: string): Setting<string> {
  const read = (raw: string) => {
    const host = isIPv6(raw) ? `[${raw}]` : /^[\w.-]+$/.test(raw) && raw
    if (!host || !URL.canParse(`http://${host}`))
      throw new Error('must be an address such as 127.0.0.1 or ::, or a host name')
    return raw
  }
  return { read, fallback, doc }
}

/** Scheme, host and port of a website: pages and cookies are those of a whole host. */
export function origin(doc: string): Setting<string | undefined> {
  const address = url(doc, false, WEB)
  const read = (raw: string) => {
    address.read(raw)
    const { origin, href } = new URL(raw)
    if (href !== `${origin}/`)
      throw new Error('must have no path, query or user: write it as https://svc.example.com')
    return origin
  }
  return { ...address, read }
}

/** A connection string of PostgreSQL, which may name several servers. */
export function databaseUrl(doc: string): Setting<string | undefined> {
  const one = url(doc, true, ['postgres:', 'postgresql:'])
  const read = (raw: string) => {
    for (const each of urlsOf(raw)) one.read(each)
    return raw.replace(/\/$/, '')
  }
  return { ...one, read }
}

/** Something that a page loads: a path on our own host, or an https URL. */
export function pathOrHttps(doc: string): Setting<string | undefined> {
  const read = (raw: string) => {
    if (!/^\/[^/\\]/.test(raw) && !(URL.canParse(raw) && new URL(raw).protocol === 'https:'))
      throw new Error('must be a path such as /logo.svg or an https URL')
    return raw
  }
  return { read, fallback: undefined, doc }
}
