import { CARD, sending } from './bodies.ts'
import { all, byAdmin, type Row } from './row.ts'
import * as at from './targets.ts'

export const sandbox: Row[] = [
  all('GET /sandbox/clock', 'none'),
  all('POST /sandbox/samples', 'none', 201),
  byAdmin('POST /sandbox/clock/advance', 200, sending({ seconds: 1 })),
  byAdmin('POST /sandbox/processor/events', 201, sending({ type: 'ping', data: { id: 'x' } })),
  byAdmin('POST /sandbox/processor/faults', 201, sending({ kind: 'answer_lost', count: 0 })),
  {
    operation: 'POST /sandbox/providers/{provider}/faults',
    word: 'admin',
    expect: { own: 403, others: 403, admin: 201 },
    target: async () => ({ ids: ['openai'] }),
    ...sending({ kind: 'reset', count: 0 }),
  },
  byAdmin('POST /sandbox/processor/disputes', 404, sending({ paymentIntentId: 'pi_unknown' })),
  byAdmin('POST /sandbox/processor/disputes/{id}/close', 404, {
    target: at.account,
    ...sending({ won: true }),
  }),
  all('GET /sandbox/checkout/{id}', 'none', 404, { target: at.account }),
  all('POST /sandbox/checkout/{id}', 'none', 404, { target: at.account, ...CARD }),
  all('GET /sandbox/onboarding/{id}', 'none', 404, { target: at.account }),
  all('POST /sandbox/onboarding/{id}', 'none', 404, {
    target: at.account,
    ...sending({ accountNumber: '000123456789' }),
  }),
  all('GET /sandbox/mail', 'none', 200, { query: 'to=nobody@example.com' }),
  all('GET /sandbox/pages/ok', 'none'),
  all('GET /sandbox/pages/report.pdf', 'none'),
  all('GET /sandbox/pages/missing', 'none', 404),
  all('GET /sandbox/pages/slow', 'none', 200, { unasked: true }),
  all('GET /sandbox/pages/redirect-private', 'none', 302),
]
