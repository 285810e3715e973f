import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { UnauthorizedError, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type { TestService } from '../service/service.ts'

export const CALLBACK = 'http://127.0.0.1:8765/callback'

/** What an MCP client stores of its sign-in, as an application does. */
class Store implements OAuthClientProvider {
  readonly redirectUrl: string
  client: OAuthClientInformationMixed | undefined
  held: OAuthTokens | undefined
  verifier = ''
  /** Where the person was sent. */
  asked: URL | undefined

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl
  }

  get clientMetadata() {
    return { client_name: 'Assistant', redirect_uris: [this.redirectUrl] }
  }
  state = (): string => 'of-the-client'
  clientInformation = () => this.client
  saveClientInformation = (given: OAuthClientInformationMixed): void => void (this.client = given)
  tokens = () => this.held
  saveTokens = (given: OAuthTokens): void => void (this.held = given)
  redirectToAuthorization = (url: URL): void => void (this.asked = url)
  saveCodeVerifier = (given: string): void => void (this.verifier = given)
  codeVerifier = (): string => this.verifier
  invalidateCredentials = (scope: string): void => {
    if (scope === 'all' || scope === 'tokens') this.held = undefined
  }
}

/** An unmodified client of the MCP SDK that signs in by OAuth. */
export class OAuthMcpClient {
  readonly store: Store
  readonly #service: TestService

  constructor(service: TestService, callback = CALLBACK) {
    this.#service = service
    this.store = new Store(callback)
  }

  transport(): StreamableHTTPClientTransport {
    return new StreamableHTTPClientTransport(new URL(`${this.#service.baseUrl}/mcp`), {
      authProvider: this.store,
    })
  }

  /** Connects until the person has to agree: the address of the page. */
  async begin(transport: StreamableHTTPClientTransport): Promise<URL> {
    this.store.asked = undefined
    const client = new Client({ name: 'test', version: '1.0.0' })
    await assert.rejects(client.connect(transport), UnauthorizedError)
    const { asked } = this.store as { asked?: URL }
    assert.equal(asked?.pathname, '/app/authorize')
    return asked
  }

  /** What the page sends when the person agrees. */
  consent(params: URLSearchParams, token: string, more: object = {}) {
    const given = (name: string) => params.get(name) ?? undefined
    return this.#service.http<{ redirectUrl: string; code: string }>('POST', '/oauth/authorizations', {
      token,
      body: {
        clientId: given('client_id'),
        redirectUri: given('redirect_uri'),
        codeChallenge: given('code_challenge'),
        scope: given('scope'),
        state: given('state'),
        resource: given('resource'),
        spendingLimit: '50',
        ...more,
      },
    })
  }

  /** From 401 to a client that may call tools. */
  async signIn(token: string, more: object = {}): Promise<Client> {
    const transport = this.transport()
    const { status, body, text } = await this.consent((await this.begin(transport)).searchParams, token, more)
    assert.equal(status, 201, text)
    await transport.finishAuth(new URL(body.redirectUrl).searchParams.get('code') ?? '')
    return this.connect()
  }

  async connect(): Promise<Client> {
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(this.transport())
    return client
  }
}
