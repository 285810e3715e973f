import { createHmac } from 'node:crypto'
import { isbot } from 'isbot'
import { registration } from '#identity'
import type { HttpRequest } from '#platform/http/operation'
import { redirect } from '#platform/http/response'
import { storableText } from '#platform/kernel/chain/chain'
import { DAY } from '#platform/kernel/clock'
import { newId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { ClickBuffer } from './buffer.ts'
import { Destinations, type Utm } from './destination.ts'

export const COOKIE_DAYS = 90
const NO_STORE = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }

const storable = (text: string | undefined): string | null => (text === undefined ? null : storableText(text))

/** Sends visitors of affiliate links on, and stores each click before it answers. */
export class Redirects {
  readonly #services: Services
  readonly #buffer: ClickBuffer
  readonly #destinations: Destinations

  constructor(services: Services) {
    this.#services = services
    this.#buffer = new ClickBuffer(services.db)
    this.#destinations = new Destinations(services)
  }

  /** 302 to the destination with the cookie of the click; to the home page without it if the code is of no use. */
  async follow(code: string, { dest, ...utm }: Utm & { dest?: string }, http: HttpRequest) {
    const { clock, publicUrl } = this.#services
    const at = clock.now()
    // A destination that is not allowed leads home, and counts.
    const destination = this.#destinations.resolve(dest, utm) ?? this.#destinations.home
    const agent = http.headers['user-agent'] ?? ''
    const click = {
      id: newId(),
      code: storableText(code),
      destination,
      utmSource: storable(utm.utm_source),
      utmMedium: storable(utm.utm_medium),
      utmCampaign: storable(utm.utm_campaign),
      visitor: this.#visitorOf(http.ip, agent, at),
      bot: agent === '' || isbot(agent),
      at,
    }
    if (!(await this.#buffer.store(click))) return redirect(this.#destinations.home, { headers: NO_STORE })
    const options = {
      path: '/',
      httpOnly: true,
      secure: publicUrl.startsWith('https:'),
      sameSite: 'lax',
      maxAge: (COOKIE_DAYS * DAY) / 1000,
    } as const
    return redirect(destination, {
      headers: NO_STORE,
      cookies: [{ name: registration.CLICK_COOKIE, value: click.id, options }],
    })
  }

  // With the day in it, nobody can be followed for longer.
  #visitorOf(ip: string, agent: string, at: Date): Buffer {
    return createHmac('sha256', this.#services.secrets.derive('affiliates/visitor'))
      .update(`${at.toISOString().slice(0, 10)}\n${ip}\n${agent}`)
      .digest()
      .subarray(0, 16)
  }
}
