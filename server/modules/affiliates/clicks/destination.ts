import type { Services } from '#platform/kernel/services'

const UTM = ['utm_source', 'utm_medium', 'utm_campaign'] as const
export type Utm = Partial<Record<(typeof UTM)[number], string>>

/** Where visitors may be sent: the front end, the service itself, and the origins of AFFILIATE_DESTINATIONS. */
export class Destinations {
  readonly #home: string
  readonly #origins: ReadonlySet<string>

  constructor({ config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>) {
    this.#home = config.FRONTEND_URL ?? publicUrl
    this.#origins = new Set(
      [this.#home, publicUrl, ...config.AFFILIATE_DESTINATIONS].map(url => new URL(url).origin),
    )
  }

  get home(): string {
    return new URL('/', this.#home).href
  }

  /** The address of a destination with its UTM parameters; null if visitors may not be sent there. */
  resolve(dest: string | undefined, utm: Utm): string | null {
    const given = dest === undefined || dest === '' ? '/' : dest
    if (!URL.canParse(given, this.#home)) return null
    const url = new URL(given, this.#home)
    const isPlain = (url.protocol === 'https:' || url.protocol === 'http:') && !url.username && !url.password
    if (!isPlain || !this.#origins.has(url.origin)) return null
    for (const name of UTM) {
      const value = utm[name]
      if (value) url.searchParams.set(name, value)
    }
    return url.href
  }
}
