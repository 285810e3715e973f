/** What all scenarios of a run know: whose an identifier is, and which tenants have something in common. */
export class Registry {
  readonly #owners = new Map<string, string>()
  readonly #related = new Set<string>()
  readonly #admins = new Set<string>()

  /** For an object that changes hands. */
  passOn(identifier: string, tag: string): void {
    this.#owners.set(identifier, tag)
  }

  /** False if it has an owner. */
  own(identifier: string, tag: string): boolean {
    const isNew = !this.#owners.has(identifier)
    if (isNew) this.#owners.set(identifier, tag)
    return isNew
  }

  isOwner = (identifier: unknown, tag: string): boolean =>
    typeof identifier === 'string' && this.#owners.get(identifier) === tag

  relate(identifier: string, tag: string): void {
    const owner = this.#owners.get(identifier)
    if (owner === undefined || owner === tag) return
    this.#related.add(`${tag} ${owner}`).add(`${owner} ${tag}`)
  }

  /** Whose decisions concern every tenant. */
  addAdmin(tag: string): void {
    this.#admins.add(tag)
  }

  isRelated = (tag: string, other: string): boolean =>
    this.#admins.has(other) || this.#related.has(`${tag} ${other}`)
}
