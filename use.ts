import createClient from 'openapi-fetch'
import type { components, paths } from './api.ts'
type Escrow = components['schemas']['Escrow']
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:3000' })
export async function run(): Promise<Escrow | undefined> {
  const { data } = await client.POST('/wallets', { body: { currency: 'USDC' }, params: { header: { 'Idempotency-Key': 'x' } } })
  const c: components['schemas']['Currency'] | undefined = data?.currency
  console.log(c)
  const e = await client.GET('/payments/escrow/{id}', { params: { path: { id: 'x' } } })
  const s: 'HELD' extends components['schemas']['EscrowStatus'] ? true : false = true
  console.log(s)
  return e.data
}
