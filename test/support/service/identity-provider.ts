import type { Server } from 'node:http'
import OidcProvider from 'oidc-provider'
import { rememberCall } from '../database/canary.ts'
import { freePort } from './port.ts'
import { startTestService, type TestService } from './service.ts'

/** What the provider says of the person who signs in under a name. */
export type ProviderPeople = Record<string, { email?: string; email_verified?: boolean; name?: string }>

const CALLBACK = '/auth/identity-provider/callback'

/** A browser that keeps cookies, follows redirects and fills the provider's forms; it stops at the page /auth/done. */
export class ProviderBrowser {
  readonly cookies = new Map<string, string>()
  readonly visited: string[] = []

  async get(url: string, form?: URLSearchParams): Promise<Response> {
    this.visited.push(url)
    const cookie = this.cookieHeader()
    const answer = await fetch(url, {
      method: form ? 'POST' : 'GET',
      body: form,
      redirect: 'manual',
      headers: { cookie },
    })
    const text = await answer.clone().text()
    rememberCall(new URL(url).pathname, {
      sent: form,
      ok: answer.ok,
      answered: text,
      text,
      headers: answer.headers,
    })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value && !/expires=Thu, 01 Jan 1970/i.test(line)) this.cookies.set(name, value)
      else this.cookies.delete(name)
    }
    return answer
  }

  cookieHeader(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  /** Signs in as `login` and answers the fragment that the front end gets. */
  async signIn(start: string, login: string): Promise<URLSearchParams> {
    return new URLSearchParams((await this.follow(start, login, '/auth/done#')).split('#')[1])
  }

  /** Goes on until it is sent to an address with `end` in it, which it answers and does not visit. */
  async follow(start: string, login: string, end: string): Promise<string> {
    let answer = await this.get(start)
    for (let step = 0; step < 20; step++) {
      const here = this.visited.at(-1) ?? start
      const location = answer.headers.get('location')
      if (location?.includes(end)) return location
      if (location) answer = await this.get(new URL(location, here).href)
      else answer = await this.submit(await answer.text(), here, login)
    }
    throw new Error('the browser goes round in circles')
  }

  private submit(page: string, here: string, login: string): Promise<Response> {
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? ''
    const form = new URLSearchParams(
      page.includes('name="login"') ? { prompt: 'login', login, password: 'any' } : { prompt: 'consent' },
    )
    return this.get(new URL(action, here).href, form)
  }
}

export interface ServiceWithProvider {
  service: TestService
  /** The provider. */
  server: Server
  close(): Promise<void>
}

/** A service whose people may sign in at an identity provider, which runs in this process. */
export async function startWithIdentityProvider(people: ProviderPeople): Promise<ServiceWithProvider> {
  const [port, providerPort] = [await freePort(), await freePort()]
  const provider = new OidcProvider(`http://127.0.0.1:${providerPort}`, {
    clients: [
      {
        client_id: 'svc',
        client_secret: 'a-client-secret-of-some-length',
        redirect_uris: [`http://127.0.0.1:${port}${CALLBACK}`],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: ['test'] },
    findAccount: (_context: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...people[sub] }),
    }),
    pkce: { required: () => true },
  })
  const server = await new Promise<Server>(resolve => {
    const listening: Server = provider.listen(providerPort, '127.0.0.1', () => resolve(listening))
  })
  const service = await startTestService({
    PORT: String(port),
    OIDC_ISSUER: `http://127.0.0.1:${providerPort}`,
    OIDC_CLIENT_ID: 'svc',
    OIDC_CLIENT_SECRET: 'a-client-secret-of-some-length',
    LOG_LEVEL: 'silent',
  })

  const close = async () => {
    server.closeAllConnections()
    server.close()
    // Last: it throws if a secret was stored in the clear, and a server that listens keeps the process.
    await service.close()
  }
  return { service, server, close }
}
