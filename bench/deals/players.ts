import { randomUUID } from 'node:crypto'
import { LeanClient, type Response } from './client.ts'

export const ADMIN = { email: 'admin@example.com', password: 'correct horse battery staple' }
const FUNDS_USD = 100_000

export const STEPS = ['negotiate', 'accept', 'initiate', 'deliver', 'release'] as const
export type Step = (typeof STEPS)[number]

/** `buyer` and `seller`: header lines with their credential. */
interface Parties {
  buyer: string
  seller: string
  agentId: string
}

interface Registered {
  accessToken: string
  user: { id: string }
}

/** A buyer and a seller that play one deal after the other over one connection. */
export class Player {
  readonly #client: LeanClient
  readonly #buyer: string
  readonly #seller: string
  readonly agentId: string
  readonly #sendsKeys: boolean

  private constructor(client: LeanClient, parties: Parties, sendsKeys: boolean) {
    this.#client = client
    this.#buyer = parties.buyer
    this.#seller = parties.seller
    this.agentId = parties.agentId
    this.#sendsKeys = sendsKeys
  }

  /** Registers both, publishes an agent and funds the buyer's wallet by sandbox card. */
  static async open(baseUrl: string, sendsKeys = true): Promise<Player> {
    const client = new LeanClient(baseUrl)
    const post = async (path: string, headers: string, body: object) =>
      checked(path, await client.post(path, headers, body))
    const register = async () => {
      const body = { email: `${randomUUID()}@example.com`, displayName: 'Bench', password: ADMIN.password }
      const { accessToken, user } = (await post('/auth/register', '', body)) as unknown as Registered
      return { id: user.id, bearer: `Authorization: Bearer ${accessToken}\r\n` }
    }
    const [buyer, owner] = [await register(), await register()]
    const agent = await post('/agents', owner.bearer, { name: `Agent ${randomUUID()}` })
    await post(`/agents/${String(agent.id)}/publish`, owner.bearer, {})
    const wallet = checked('wallet', await client.get(`/wallets/user/${buyer.id}`, buyer.bearer))
    await post(`/wallets/${String(wallet.id)}/fund`, buyer.bearer, { amount: FUNDS_USD })
    const seller = `x-agent-api-key: ${String(agent.apiKey)}\r\n`
    return new Player(client, { buyer: buyer.bearer, seller, agentId: String(agent.id) }, sendsKeys)
  }

  /** Plays one deal; `onStep` runs around each of its five requests. */
  async playDeal(onStep: (step: Step, work: () => Promise<Response>) => Promise<Response>): Promise<void> {
    const send = async (step: Step, side: string, path: string, body: object) => {
      const headers = this.#sendsKeys ? `${side}Idempotency-Key: ${randomUUID()}\r\n` : side
      const response = await onStep(step, () => this.#client.post(path, headers, body))
      return checked(path, response)
    }
    const { id: negotiationId } = await send('negotiate', this.#buyer, '/ap2/negotiate', {
      responderAgentId: this.agentId,
      requestedService: 'Release notes',
      budget: 10,
    })
    await send('accept', this.#seller, '/ap2/respond', { negotiationId, status: 'ACCEPTED' })
    const { escrowId } = await send('initiate', this.#buyer, '/payments/ap2/initiate', { negotiationId })
    await send('deliver', this.#seller, '/ap2/deliver', { negotiationId, result: { notes: 'All of it' } })
    await send('release', this.#buyer, '/payments/ap2/release', { escrowId })
  }

  close(): void {
    this.#client.close()
  }
}

function checked(path: string, { status, body }: Response): Response['body'] {
  if (status > 201) throw new Error(`${path} answered ${status}: ${JSON.stringify(body)}`)
  return body
}

export async function openPlayers(baseUrl: string, count: number, sendsKeys: boolean): Promise<Player[]> {
  const players: Player[] = []
  for (let n = 0; n < count; n++) players.push(await Player.open(baseUrl, sendsKeys))
  return players
}

/**
 * All players play for some seconds, each one deal after the other; deals that are under way are finished. `stepMs` is the
 * time of each request.
 */
export async function play(
  players: readonly Player[],
  seconds: number,
): Promise<{ deals: number; elapsed: number; stepMs: number[] }> {
  const started = performance.now()
  const until = started + seconds * 1000
  const stepMs: number[] = []
  let deals = 0
  const timed = async (_step: Step, work: () => Promise<Response>): Promise<Response> => {
    const sent = performance.now()
    const response = await work()
    stepMs.push(performance.now() - sent)
    return response
  }
  await Promise.all(
    players.map(async player => {
      for (; performance.now() < until; deals++) await player.playDeal(timed)
    }),
  )
  return { deals, elapsed: (performance.now() - started) / 1000, stepMs }
}
