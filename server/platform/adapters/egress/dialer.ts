import { lookup, Resolver } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { canonicalAddress, isPublicAddress } from './address.ts'
import { textOf } from '../../kernel/unknown.ts'

export interface Resolved {
  address: string
  family: number
}

export interface DialerOptions {
  /** `host:port` or `host:*` that may be dialled although private or on another port. Trials only. */
  allowPrivate: readonly string[]
  /** Whether a refusal names the setting that would allow the address. Trials only. */
  namesSetting?: boolean
  /** All addresses of a name; given by tests. */
  resolve?: (host: string) => Promise<Resolved[]>
  /** Addresses of this machine, which are refused although public; given by tests. */
  ownAddresses?: () => string[]
  connectTimeoutMs?: number
}

/** Why a connection was not made; `message` is fit for the public. */
export class EgressRefused extends Error {
  readonly code: 'private_address' | 'port' | 'dns' | 'unreachable'
  constructor(code: EgressRefused['code'], message: string) {
    super(message)
    this.name = 'EgressRefused'
    this.code = code
  }
}

const LOOKUP_MS = 4000

/** The only way to connect to untrusted addresses. */
export class Dialer {
  readonly #allowed: ReadonlySet<string>
  readonly #options: DialerOptions
  readonly #timeoutMs: number

  constructor(options: DialerOptions) {
    this.#allowed = new Set(
      options.allowPrivate.map(place =>
        place
          .trim()
          .toLowerCase()
          .replace(/^\[(.*)\]:/, '$1:'),
      ),
    )
    this.#options = options
    this.#timeoutMs = options.connectTimeoutMs ?? 5000
  }

  /**
   * A connection to `host`, checked: resolved once, every answer must be public, and the addresses that
   * were checked are the ones that are dialled. Throws EgressRefused.
   */
  async dial(host: string, port: number): Promise<Socket> {
    let refusal: unknown
    for (const address of await this.#addresses(host, port)) {
      try {
        return await this.#connect(address, host, port)
      } catch (error) {
        refusal = error
      }
    }
    throw refusal
  }

  /** The first address to dial, or EgressRefused; nothing is sent to it. */
  async decide(host: string, port: number): Promise<string> {
    return (await this.#addresses(host, port))[0]
  }

  async #addresses(host: string, port: number): Promise<[string, ...string[]]> {
    const name = host.replace(/^\[|\]$/g, '').toLowerCase()
    const trusted = this.#allowed.has(`${name}:${port}`) || this.#allowed.has(`${name}:*`)
    const remedy = this.#options.namesSetting ? ` (VERIFIER_ALLOW_PRIVATE=${name}:${port} allows it)` : ''
    if (!trusted && port !== 80 && port !== 443)
      throw new EgressRefused('port', `port ${port} is not allowed, only 80 and 443${remedy}`)
    const answers = isIP(name) ? [{ address: name, family: isIP(name) }] : await this.#lookup(name, trusted)
    if (!trusted) this.#requirePublic(name, answers, remedy)
    // IPv4 first: a machine without IPv6 would wait for nothing.
    const [first, ...others] = answers
      .toSorted((one, other) => one.family - other.family)
      .map(({ address }) => address)
    if (!first) throw new EgressRefused('dns', `${name} has no address`)
    return [first, ...others]
  }

  #requirePublic(name: string, answers: Resolved[], remedy: string): void {
    // The error names only the host name: clients must not learn what an internal name resolves to.
    if (answers.some(({ address }) => !isPublicAddress(address)))
      throw new EgressRefused('private_address', `address is private: ${name}${remedy}`)
    const own = new Set((this.#options.ownAddresses ?? interfaceAddresses)().map(canonicalAddress))
    if (answers.some(({ address }) => own.has(canonicalAddress(address))))
      throw new EgressRefused('private_address', `address is this service's own: ${name}`)
  }

  async #lookup(name: string, trusted: boolean): Promise<Resolved[]> {
    const resolve =
      this.#options.resolve ?? (trusted ? (host: string) => lookup(host, { all: true }) : queryNameServers)
    const late = AbortSignal.timeout(LOOKUP_MS)
    try {
      return await Promise.race([
        resolve(name),
        new Promise<never>((_, reject) => {
          late.addEventListener('abort', () => {
            reject(new Error('too late'))
          })
        }),
      ])
    } catch {
      throw new EgressRefused('dns', `the name ${name} does not resolve`)
    }
  }

  #connect(address: string, host: string, port: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: address, port })
      const refuse = (why: string) => {
        clearTimeout(timer)
        socket.destroy()
        reject(new EgressRefused('unreachable', `${host}:${port} ${why}`))
      }
      const timer = setTimeout(() => refuse('does not answer'), this.#timeoutMs)
      socket.once('connect', () => {
        clearTimeout(timer)
        resolve(socket)
      })
      // For the whole life of the socket: an error that nobody hears would end the process.
      socket.on('error', error => {
        refuse(`cannot be reached (${textOf(error, 'code') || error.message})`)
      })
    })
  }
}

/** Asks the name servers directly: getaddrinfo would let a few slow names take all threads that hash passwords and read files. */
async function queryNameServers(host: string): Promise<Resolved[]> {
  const resolver = new Resolver({ timeout: 1500, tries: 2 })
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
  const of = (answer: PromiseSettledResult<string[]>, family: number) =>
    answer.status === 'fulfilled' ? answer.value.map(address => ({ address, family })) : []
  return [...of(four, 4), ...of(six, 6)]
}

const interfaceAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap(list => (list ?? []).map(({ address }) => address))
