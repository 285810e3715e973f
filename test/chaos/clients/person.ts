import { randomBytes } from 'node:crypto'
import type { Api, Credential, Reply, Request } from './api.ts'
import { cents, type Model } from './model.ts'

/** A bank account of the sandbox at which payouts arrive. */
const BANK = { accountNumber: '000123456789', idNumber: '000000000' }
const START_CENTS = 200_000

/** An account with a bank account, a routing key, and an agent that sells. */
export interface Person {
  id: string
  session: Credential
  walletId: string
  agent: { id: string; walletId: string; key: Credential }
  routingKey: Credential
}

interface Session {
  user: { id: string }
  accessToken: string
}

/** Signs in again when the token has expired. */
export async function sessionOf(api: Api, body: { email: string; password: string }): Promise<Credential> {
  const credential: Credential = { headers: {} }
  credential.renew = async () => {
    const login: Request = { method: 'POST', operation: '/auth/login', body, credential: { headers: {} } }
    const { body: session } = await api.send<Session>(login)
    credential.headers = { authorization: `Bearer ${session.accessToken}` }
  }
  await credential.renew()
  return credential
}

export async function openPerson(api: Api, model: Model): Promise<Person> {
  const login = { email: `${randomBytes(6).toString('hex')}@example.com`, password: 'correct horse battery' }
  const nobody: Credential = { headers: {} }
  const { body: registered } = await api.send<Session>({
    method: 'POST',
    operation: '/auth/register',
    body: { ...login, displayName: 'Chaos' },
    credential: nobody,
  })
  const session = await sessionOf(api, login)
  const post = <Body>(operation: string, more: { id?: string; body?: object } = {}): Promise<Reply<Body>> =>
    api.send<Body>({ method: 'POST', operation, credential: session, ...more })
  const { id } = registered.user
  const wallet = await api.send<{ id: string }>({
    method: 'GET',
    operation: '/wallets/user/{id}',
    id,
    credential: session,
  })
  const agent = await post<{ id: string; walletId: string; apiKey: string }>('/agents', {
    body: { name: `Agent ${randomBytes(4).toString('hex')}` },
  })
  await post('/agents/{id}/publish', { id: agent.body.id })
  const setup = await post<{ onboardingUrl: string }>('/payouts/user/setup', { body: {} })
  await post(new URL(setup.body.onboardingUrl).pathname, { body: BANK })
  const key = await post<{ key: string }>('/v1/auth/keys', { body: { name: 'Chaos' } })
  const person: Person = {
    id,
    session,
    walletId: wallet.body.id,
    agent: {
      id: agent.body.id,
      walletId: agent.body.walletId,
      key: { headers: { 'x-agent-api-key': agent.body.apiKey } },
    },
    routingKey: { headers: { authorization: `Bearer ${key.body.key}` } },
  }
  await post('/wallets/{id}/fund', { id: person.walletId, body: { amount: START_CENTS / 100 } })
  model.wallets.set(person.walletId, cents(START_CENTS))
  model.wallets.set(person.agent.walletId, 0n)
  model.routing.set(id, { paidIn: 0n, answered: new Map() })
  return person
}
