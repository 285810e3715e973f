import { newId } from '#platform/kernel/id'
import { sql } from '#platform/kernel/sql'
import { registerHuman } from '#test'
import { sending } from './bodies.ts'
import { call } from './fixtures.ts'
import { all, byAdmin, type Row } from './row.ts'
import * as at from './targets.ts'

const WHOLE_ACCOUNT = { bound: 403 }
const APPLICATION = { displayName: 'Newsletter', acceptTerms: true }

/** The profile of an agent account, in the state that the calls lead to. */
const profile =
  (...calls: [path: string, body: object][]): at.Prepare =>
  async ({ service, admin }) => {
    const { token } = await registerHuman(service)
    const { id } = await call(service, 'POST /affiliates/apply', { token, body: APPLICATION })
    for (const [path, body] of calls)
      await call(service, `POST /affiliates/admin/${id}/${path}`, { token: admin, body })
    return { ids: [id] }
  }
const APPROVE: [string, object] = ['review', { decision: 'approve' }]

/** Every caller has an ACTIVE profile, as agent accounts have from the start. */
const everybody: at.Prepare = async ({ service, tenants, partner, admin }) => {
  for (const token of [...tenants.map(each => each.token), partner.token, admin])
    await service.http('POST', '/affiliates/apply', { token, body: APPLICATION })
  // An admin does not decide about their own profile.
  await service.services.db.run(sql`update affiliates_profile set status = 'ACTIVE' where status = 'PENDING'`)
  return { ids: [] }
}

export const affiliates: Row[] = [
  all('GET /affiliates/r/{code}', 'none', 302, { target: at.nobodys }),
  all('GET /affiliates/resolve', 'none', 404, { query: 'code=nobody' }),
  all('GET /affiliates/me', 'service', 200, { ...WHOLE_ACCOUNT, target: everybody }),
  all('GET /affiliates/membership', 'service', 200, { ...WHOLE_ACCOUNT, target: everybody }),
  all('GET /affiliates/dashboard', 'service', 200, { ...WHOLE_ACCOUNT, target: everybody }),
  all('POST /affiliates/links/generate', 'service', 201, {
    ...WHOLE_ACCOUNT,
    target: everybody,
    ...sending({ dest: '/' }),
  }),
  all('POST /affiliates/enroll', 'service', 201, { ...WHOLE_ACCOUNT, target: everybody }),
  all('POST /affiliates/apply', 'service', 400, {
    ...WHOLE_ACCOUNT,
    ...sending({ ...APPLICATION, code: 'admin' }),
  }),
  all('GET /affiliates/commissions', 'service', 200, { ...WHOLE_ACCOUNT, target: everybody }),
  all('GET /affiliates/commissions/csv', 'service', 200, { ...WHOLE_ACCOUNT, target: everybody }),
  all('GET /affiliates/attribution', 'service', 404, { query: `negotiationId=${newId()}` }),
  all('POST /affiliates/payout', 'service', 409, { ...WHOLE_ACCOUNT, target: everybody }),
  byAdmin('GET /affiliates/admin/commissions'),
  byAdmin('POST /affiliates/admin/commissions/{id}/clear', 404, { target: at.nobodys }),
  byAdmin('POST /affiliates/admin/commissions/{id}/confirm-fraud', 404, { target: at.nobodys }),
  byAdmin('GET /affiliates/admin/pending'),
  byAdmin('GET /affiliates/admin/all'),
  byAdmin('GET /affiliates/admin/profile/{id}', 200, { target: profile() }),
  byAdmin('POST /affiliates/admin/{id}/review', 200, {
    target: profile(),
    ...sending({ decision: 'reject' }),
  }),
  byAdmin('POST /affiliates/admin/{id}/commission-plan', 200, {
    target: profile(),
    ...sending({ rateBps: 3000 }),
  }),
  byAdmin('POST /affiliates/admin/{id}/suspend', 200, { target: profile(APPROVE), ...sending({}) }),
  byAdmin('POST /affiliates/admin/{id}/reactivate', 200, { target: profile(APPROVE, ['suspend', {}]) }),
]
