import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PayoutStatus } from '../../../server/modules/payouts/payout/payout-machine.ts'
import type { ChargebackEvent } from '../../../server/modules/payments/chargebacks/machine.ts'
import type { SettlementPlan } from '../../../server/modules/ap2/escrow/settlement-plan.ts'
import type { VoucherEvent } from '../../../server/modules/wallets/vouchers/voucher-machine.ts'

const MODULES = join(import.meta.dirname, '../../../server/modules')

const PAYOUT_KINDS = {
  REQUESTED: 'requested',
  REVIEW: 'requested',
  PENDING: null,
  IN_TRANSIT: null,
  PAID: 'paid',
  FAILED: 'failed',
  CANCELED: 'canceled',
  RETURNED: 'returned',
} satisfies Record<PayoutStatus, string | null>
const VOUCHER_KINDS = { redeem: 1, cancel: 1, expire: 1 } satisfies Record<VoucherEvent, 1>
const CHARGEBACK_KINDS = { win: 'won', lose: 'lost', review: null } satisfies Record<
  ChargebackEvent,
  string | null
>
const SETTLEMENT_KINDS = { 'ap2.release': 1, 'ap2.refund': 1, 'ap2.split': 1 } satisfies Record<
  SettlementPlan['kind'],
  1
>

const withPrefix = (prefix: string, words: readonly (string | null)[]): string[] =>
  words.filter(word => word !== null).map(word => `${prefix}${word}`)

/** What an expression that is no literal can be. The compiler refuses a table that misses a state. */
const EXPRESSIONS: Record<string, readonly string[]> = {
  '`payout_${event}`': withPrefix('payout_', Object.values(PAYOUT_KINDS)),
  '`voucher_${verb}`': withPrefix('voucher_', Object.keys(VOUCHER_KINDS)),
  '`chargeback_${outcome}`': withPrefix('chargeback_', Object.values(CHARGEBACK_KINDS)),
  '`suspense_${resolution.toLowerCase()}`': ['suspense_assigned', 'suspense_returned'],
  'plan.kind': Object.keys(SETTLEMENT_KINDS),
}

/** The sources of the modules above the ledger, without tests. */
export async function sourcesOfModules(): Promise<Map<string, string>> {
  const files = await Array.fromAsync(glob('**/*.ts', { cwd: MODULES }))
  const sources = files.filter(file => !file.endsWith('.test.ts') && !file.startsWith('ledger/'))
  return new Map(
    await Promise.all(
      sources.map(async file => [file, await readFile(join(MODULES, file), 'utf8')] as const),
    ),
  )
}

/** Every kind of journal that the modules can post, with the files that do. A call that cannot be read fails. */
export function journalKinds(sources: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const kinds = new Map<string, Set<string>>()
  for (const [file, text] of sources)
    for (const [, names = ''] of text.matchAll(/import \{([^}]*)\} from '#ledger'/g)) {
      const posts = ['post', 'writeJournal', 'writeJournals'].filter(name =>
        new RegExp(`\\b${name}\\b`).test(names),
      )
      for (const kind of posts.flatMap(name => kindsOfCalls(file, text, name)))
        kinds.set(kind, (kinds.get(kind) ?? new Set()).add(file))
    }
  return kinds
}

function kindsOfCalls(file: string, text: string, name: string): string[] {
  const calls = [...text.matchAll(new RegExp(`(?<![#.\\w])${name}\\(`, 'g'))]
  assert.ok(calls.length > 0, `${file} imports ${name} and calls it in a way that this test cannot read`)
  return calls.flatMap(({ index }) => {
    const call = balanced(text, index + name.length)
    const spread = /\.\.\.(\w+)/.exec(call)?.[1]
    const posting = /\bkind: /.test(call) || !spread ? call : constant(text, spread)
    const expression = /\bkind: ([^\n]*?)(?:,\n|, key\b|,$)/.exec(posting)?.[1]
    assert.ok(expression, `${file}: no kind in ${call.slice(0, 80)}`)
    return valuesOf(file, expression)
  })
}

function valuesOf(file: string, expression: string): readonly string[] {
  const known = EXPRESSIONS[expression]
  if (known) return known
  const literals = [...expression.matchAll(/'([^']*)'/g)].map(([, literal = '']) => literal)
  const isReadable = /^'[^']*'$/.test(expression) || /^\w+ \? '[^']*' : '[^']*'$/.test(expression)
  assert.ok(isReadable, `${file}: say in this file what the kind ${expression} can be`)
  return literals
}

const constant = (text: string, name: string): string => {
  const start = text.indexOf(`const ${name} = {`)
  return start < 0 ? '' : balanced(text, text.indexOf('{', start))
}

/** The text from a bracket to the one that closes it. */
function balanced(text: string, start: number): string {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    if ('([{'.includes(text[at] ?? '')) depth++
    if (')]}'.includes(text[at] ?? '') && --depth === 0) return text.slice(start, at + 1)
  }
  throw new Error(`no closing bracket after ${text.slice(start, start + 40)}`)
}
