// Runs a complete deal against a running server and prints each step and the ledger: `npm run demo`.
// BASE_URL names the server (http://127.0.0.1:3000). Requires sandbox mode: the buyer's card is simulated.
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import process from 'node:process'

const base = (process.env.BASE_URL ?? `http://127.0.0.1:${process.env.PORT ?? 3000}`).replace(/\/$/, '')
const started = performance.now()

interface Answer {
  [name: string]: unknown
}

/** Sends one request, prints it with a summary of the response, and ends the demo if it is refused. */
async function step(
  title: string,
  method: string,
  path: string,
  options: { token?: string; body?: unknown; show?: (answer: Answer) => string } = {},
): Promise<Answer> {
  const answer = await fetch(base + path, {
    method,
    headers: {
      ...(options.body ? { 'content-type': 'application/json' } : {}),
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
    },
    body: options.body ? JSON.stringify(options.body) : undefined,
  }).catch((error: Error) =>
    stop(
      `No server responds at ${base} (${error.cause instanceof Error ? error.cause.message : error.message}).\nStart it in another terminal with: npm start`,
    ),
  )
  const body = (await answer.json()) as Answer
  if (!answer.ok)
    stop(`${title}: ${method} ${path} returned ${answer.status}\n${JSON.stringify(body, null, 2)}`)
  console.log(
    `${title.padEnd(34)} ${`${method} ${path.replaceAll(/[0-9a-f-]{36}/g, '…')}`.padEnd(48)} ${options.show?.(body) ?? ''}`,
  )
  return body
}

function stop(message: string): never {
  console.error(message)
  process.exit(1)
}

const suffix = randomBytes(3).toString('hex')
const buyer = (await step('A person registers', 'POST', '/auth/register', {
  body: { email: `ada.${suffix}@example.com`, displayName: 'Ada', password: 'correct horse battery' },
  show: answer => (answer.user as { email: string }).email,
})) as { user: { id: string }; accessToken: string }
const seller = (await step('An agent registers itself', 'POST', '/auth/register-agent', {
  body: { username: `scribe_${suffix}`, walletType: 'managed', agentDisplayName: 'Scribe' },
  show: answer => `referral code ${String(answer.referralCode)}`,
})) as { agentApiKey: string }
const listed = (await step('It lists its service', 'POST', '/agents', {
  token: seller.agentApiKey,
  body: {
    name: `Scribe ${suffix}`,
    description: 'Writes release notes from a list of changes',
    categories: ['writing'],
    tags: ['release-notes'],
    pricing: { model: 'fixed', amount: 100, currency: 'USD' },
  },
  show: answer => `slug ${String(answer.slug)}`,
})) as { id: string; slug: string; walletId: string }
await step('and publishes it', 'POST', `/agents/${listed.id}/publish`, {
  token: seller.agentApiKey,
  show: answer => String(answer.status),
})
await step('The person finds it', 'GET', `/agents?search=release+notes&limit=5`, {
  show: answer => `${String(answer.total)} found`,
})
const wallet = (await step('The person opens the wallet', 'GET', `/wallets/user/${buyer.user.id}`, {
  token: buyer.accessToken,
  show: answer => `balance ${String(answer.balance)}`,
})) as { id: string }
await step('and funds it by card', 'POST', `/wallets/${wallet.id}/fund`, {
  token: buyer.accessToken,
  body: { amount: 150 },
  show: answer => `balance ${(answer.wallet as { balance: string }).balance}`,
})
const negotiation = (await step('Buyer opens a negotiation', 'POST', '/ap2/negotiate', {
  token: buyer.accessToken,
  body: { responderAgentId: listed.id, requestedService: 'Release notes for version 2', budget: 100 },
  show: answer => String(answer.status),
})) as { id: string }
await step('Seller counters', 'POST', '/ap2/respond', {
  token: seller.agentApiKey,
  body: { negotiationId: negotiation.id, status: 'COUNTERED', price: 110 },
  show: answer => `${String(answer.status)} at ${String(answer.price)}`,
})
await step('Buyer counters', 'POST', '/ap2/respond', {
  token: buyer.accessToken,
  body: { negotiationId: negotiation.id, status: 'COUNTERED', price: 100 },
  show: answer => `${String(answer.status)} at ${String(answer.price)}`,
})
await step('Seller accepts', 'POST', '/ap2/respond', {
  token: seller.agentApiKey,
  body: { negotiationId: negotiation.id, status: 'ACCEPTED' },
  show: answer => `${String(answer.status)} at ${String(answer.price)}`,
})
const { escrowId } = (await step('Buyer pays into escrow', 'POST', '/payments/ap2/initiate', {
  token: buyer.accessToken,
  body: { negotiationId: negotiation.id },
  show: answer => String(answer.status),
})) as { escrowId: string }
await step('Seller starts', 'POST', '/ap2/start', {
  token: seller.agentApiKey,
  body: { negotiationId: negotiation.id },
  show: answer => String(answer.status),
})
await step('Seller delivers, a browser checks', 'POST', '/ap2/deliver', {
  token: seller.agentApiKey,
  body: {
    negotiationId: negotiation.id,
    deliverableUrl: `${base}/sandbox/pages/ok`,
    notes: 'Release notes, first version',
  },
  show: ({ delivery }) => {
    const { status, report } = delivery as { status: string; report?: { verifier?: string; status?: number } }
    return `${status} (${report?.verifier ?? '?'}, HTTP ${report?.status ?? '?'})`
  },
})
const released = (await step('Buyer releases', 'POST', '/payments/ap2/release', {
  token: buyer.accessToken,
  body: { escrowId },
  show: answer =>
    `${String(answer.status)}: seller ${String(answer.netToSeller)}, platform ${String(answer.fee)}`,
})) as { status: string; netToSeller: string; fee: string }
const sellerWallet = (await step('Seller reads the wallet', 'GET', `/wallets/${listed.walletId}`, {
  token: seller.agentApiKey,
  show: answer => `balance ${String(answer.balance)}`,
})) as { balance: string }

interface Line {
  journalId: string
  kind: string
  debit: string
  credit: string
  amount: string
}
const books = (await step(
  'Ledger entries of this deal',
  'GET',
  `/payments/ap2/escrows/${escrowId}/reconciliation`,
  {
    token: buyer.accessToken,
    show: answer => (answer.ok ? 'every check passes' : 'DOES NOT RECONCILE'),
  },
)) as { ok: boolean; entries: Line[] }
console.log('\nThe ledger')
for (const { kind, debit, credit, amount } of books.entries)
  console.log(`  ${kind.padEnd(16)} ${debit.padEnd(44)} -> ${credit.padEnd(44)} ${amount.padStart(10)}`)

console.log('\nsvc ledger check')
const check = spawnSync(`${import.meta.dirname}/svc`, ['ledger', 'check'], {
  encoding: 'utf8',
})
console.log(`${check.stdout}${check.stderr}`.trimEnd().replaceAll(/^/gm, '  '))
const isDone =
  released.status === 'RELEASED' &&
  released.netToSeller === '80.00' &&
  released.fee === '20.00' &&
  sellerWallet.balance === '80.00' &&
  books.ok
console.log(
  `\n${isDone ? 'RELEASED: of 100.00 the seller has 80.00 and the platform 20.00' : 'The deal did not end as expected'} (${((performance.now() - started) / 1000).toFixed(1)} s)`,
)
if (check.status !== 0)
  stop(
    'The ledger check did not pass. It reads the database of DATABASE_URL or SVC_DATA_DIR: set them as the server has them. If it lists findings, they are in the books.',
  )
process.exit(isDone ? 0 : 1)
