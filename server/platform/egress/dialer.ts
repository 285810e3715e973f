import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket } from 'node:net'
import { isPublicAddress } from './address.ts'

export interface Resolved { address: string; family: number }

export interface DialerOptions {
  /** `host:port` or `host:*` that may be dialled although private or on another port. Trials only. */
  allowPrivate: readonly string[]
  /** All addresses of a name; given by tests. */
  resolve?: (host: string) => Promise<Resolved[]>
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

/** The one way out: dials addresses that strangers gave. */
export class Dialer {
  readonly #allowed: ReadonlySet<string>
  readonly #resolve: (host: string) => Promise<Resolved[]>
  readonly #timeoutMs: number

  constructor({ allowPrivate, resolve, connectTimeoutMs = 5000 }: DialerOptions) {
    this.#allowed = new Set(allowPrivate)
    this.#resolve = resolve ?? (host => lookup(host, { all: true }))
    this.#timeoutMs = connectTimeoutMs
  }

  /**
   * A connection to `host`, checked: resolved once, every answer must be public, and the address that
   * was checked is the one that is dialled. Throws EgressRefused.
   */
  async dial(host: string, port: number): Promise<Socket> {
    return this.#connect(await this.decide(host, port), port)
  }

  /** The address to dial, or EgressRefused; nothing is sent to it. */
  async decide(host: string, port: number): Promise<string> {
    const name = host.replace(/^\[|\]$/g, '').toLowerCase()
    const trusted = this.#allowed.has(`${name}:${port}`) || this.#allowed.has(`${name}:*`)
    if (!trusted && port !== 80 && port !== 443) throw new EgressRefused('port', `port ${port} is not open to the verifier, only 80 and 443`)
    const answers = isIP(name) ? [{ address: name, family: isIP(name) }] : await this.#lookup(name)
    const forbidden = trusted ? undefined : answers.find(({ address }) => !isPublicAddress(address))
    if (forbidden) throw new EgressRefused('private_address', `${name === forbidden.address ? name : `${name} (${forbidden.address})`} is a private address`)
    const first = answers[0]
    if (!first) throw new EgressRefused('dns', `${name} has no address`)
    return first.address
  }

  async #lookup(name: string): Promise<Resolved[]> {
    try {
      return await this.#resolve(name)
    } catch {
      throw new EgressRefused('dns', `the name ${name} does not resolve`)
    }
  }

  #connect(address: string, port: number): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: address, port })
      const refuse = (why: string) => {
        socket.destroy()
        reject(new EgressRefused('unreachable', `${address}:${port} ${why}`))
      }
      const timer = setTimeout(() => refuse('does not answer'), this.#timeoutMs)
      socket.once('connect', () => {
        clearTimeout(timer)
        resolve(socket)
      })
      socket.once('error', error => {
        clearTimeout(timer)
        refuse(`cannot be reached (${(error as NodeJS.ErrnoException).code ?? error.message})`)
      })
    })
  }
}
