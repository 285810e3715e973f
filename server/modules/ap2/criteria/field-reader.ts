import { invalid } from '#platform/kernel/errors'

/** Reads the fields of an object that no schema of the HTTP boundary describes. 400 with the path of the field. */
export class FieldReader {
  readonly path: string
  readonly #fields: Record<string, unknown>
  readonly #read = new Set<string>()

  constructor(given: unknown, path: string) {
    if (!isObject(given)) throw invalid(`${path} must be an object`)
    this.#fields = given
    this.path = path
  }

  text(name: string, maxLength: number): string | undefined {
    const value = this.#take(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string' || !value.trim() || value.length > maxLength)
      throw invalid(`${this.path}.${name} must be a text of 1 to ${maxLength} characters`)
    return value
  }

  requiredText(name: string, maxLength: number): string {
    const value = this.text(name, maxLength)
    if (value === undefined) throw invalid(`${this.path}.${name} is required`)
    return value
  }

  integer(name: string, min: number, max: number): number | undefined {
    const value = this.#take(name)
    if (value === undefined) return undefined
    if (typeof value !== 'number' || !Number.isInteger(value) || value < min || value > max)
      throw invalid(`${this.path}.${name} must be an integer from ${min} to ${max}`)
    return value
  }

  webUrl(name: string): string | undefined {
    const value = this.text(name, 2000)
    if (value === undefined) return undefined
    const url = URL.canParse(value) ? new URL(value) : null
    if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password)
      throw invalid(`${this.path}.${name} must be an http or https URL without a user name`)
    return value
  }

  isObject(name: string): boolean {
    return isObject(this.#fields[name])
  }

  requiredObject(name: string): object {
    const value = this.#take(name)
    if (!isObject(value)) throw invalid(`${this.path}.${name} must be an object`)
    return value
  }

  /** 400 for a field that was not read: a misspelled condition must not be ignored. */
  requireNoOther(): void {
    const other = Object.keys(this.#fields).find(name => !this.#read.has(name))
    if (other !== undefined) throw invalid(`${this.path}.${other.slice(0, 50)} is not known`)
  }

  #take(name: string): unknown {
    this.#read.add(name)
    return this.#fields[name] ?? undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
