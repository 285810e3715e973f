import assert from 'node:assert/strict'
import { digest, storable, storableText } from '#platform/kernel/chain/chain'
import { newId, randomToken } from '#platform/kernel/id'
import { ASSETS, type Asset, type Leg } from '#platform/kernel/money'
import { chartOf } from './accounts.ts'

/** What a command posts. `key` posts once; `reference` names its subject, such as `{ escrowId }`. */
export interface Posting {
  kind: string
  key: string
  legs: readonly Leg[]
  /** Free text, stored apart: erased with the account that wrote it. */
  memo?: string
  /** That account; without it the memo is the service's own. */
  author?: string
  reference?: Record<string, string>
}

/** A leg as it is stored and hashed: debit, credit, asset, amount. */
export type StoredLeg = [debit: string, credit: string, asset: Asset, amount: string]

/** What was written with a posting, apart from it. */
export interface Memo {
  memo: string
  salt: string
  author: string | null
}

/** The hashed content of a journal. */
export interface JournalContent {
  id: string
  kind: string
  key: string
  /** Only in journals from before memos were stored separately. */
  memo: string | null
  memoHash: string | null
  reference: Record<string, string>
  legs: StoredLeg[]
  at: Date
}

/** What a journal does to one account in one direction; `change` is the sum of all lines of a guarded account, on one of them. */
export interface Line {
  journalId: string
  account: string
  asset: Asset
  amount: bigint
  /** What later lines still do to the guarded account. */
  rest: bigint
  change: bigint | null
}

/** The content of a new journal and its memo. Throws where the legs are no posting: a defect of the program. */
export function contentOf(posting: Posting, at: Date): { content: JournalContent; memo: Memo | null } {
  assert(posting.kind && posting.key, 'ledger: a posting needs a kind and a key')
  assert(posting.legs.length > 0, `ledger: posting ${posting.key} has no legs`)
  for (const leg of posting.legs) {
    assert(
      leg.amount > 0n,
      `ledger: posting ${posting.key}: amount ${leg.amount} of ${leg.debit}->${leg.credit} is not above zero`,
    )
    assert(leg.debit !== leg.credit, `ledger: posting ${posting.key}: ${leg.debit} on both sides of a leg`)
    assert(ASSETS.includes(leg.asset), `ledger: posting ${posting.key}: unknown asset ${leg.asset}`)
  }
  const memo =
    posting.memo === undefined
      ? null
      : { memo: storableText(posting.memo), salt: randomToken(24), author: posting.author ?? null }
  const content: JournalContent = {
    id: newId(),
    kind: posting.kind,
    key: storableText(posting.key),
    memo: null,
    memoHash: memo && memoHash(memo),
    reference: storable(posting.reference ?? {}) as Record<string, string>,
    legs: posting.legs.map(leg => [leg.debit, leg.credit, leg.asset, leg.amount.toString()]),
    at,
  }
  return { content, memo }
}

/** The hash that seals a journal's content, without what may be erased. */
export const contentHash = (journal: JournalContent): string =>
  digest([
    ...(journal.memoHash === null ? [1] : [2, journal.memoHash]),
    journal.id,
    journal.kind,
    journal.key,
    journal.memo,
    storable(journal.reference),
    journal.legs,
    journal.at.toISOString(),
  ])

export const memoHash = ({ memo, salt }: Pick<Memo, 'memo' | 'salt'>): string => digest([1, salt, memo])

/** The same legs, in whatever order. */
export function sameLegs(a: readonly StoredLeg[], b: readonly StoredLeg[]): boolean {
  const text = (legs: readonly StoredLeg[]) =>
    legs
      .map(leg => leg.join(' '))
      .sort()
      .join()
  return text(a) === text(b)
}

/** What a journal does to one account in all: what arrives and what leaves. */
export interface Sum {
  account: string
  asset: Asset
  credit: bigint
  debit: bigint
}

/** Legs grouped by account and asset, in account order. */
export function sumsOf(legs: readonly StoredLeg[]): Sum[] {
  const sums = new Map<string, Sum>()
  const sumOf = (account: string, asset: Asset) => {
    const key = `${account} ${asset}`
    const sum = sums.get(key) ?? { account, asset, credit: 0n, debit: 0n }
    sums.set(key, sum)
    return sum
  }
  for (const [debit, credit, asset, amount] of legs) {
    sumOf(debit, asset).debit += BigInt(amount)
    sumOf(credit, asset).credit += BigInt(amount)
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
}

/**
 * The entries of journals, in their order. Legs are grouped first, because one statement may touch a balance row once; what
 * arrives stands before what leaves, so that no balance between the two is below zero.
 */
export function linesOf(journals: readonly Pick<JournalContent, 'id' | 'legs'>[]): Line[] {
  const lines = journals.flatMap(({ id, legs }) =>
    sumsOf(legs).flatMap(({ account, asset, credit, debit }) =>
      [credit, -debit]
        .filter(amount => amount !== 0n)
        .map((amount): Line => ({ journalId: id, account, asset, amount, rest: 0n, change: null })),
    ),
  )
  const firsts = new Map<string, Line>()
  for (const line of lines.toReversed()) {
    if (!chartOf(line.account).guarded) continue
    const key = `${line.account} ${line.asset}`
    const next = firsts.get(key)
    line.rest = next?.change ?? 0n
    line.change = line.rest + line.amount
    if (next) next.change = null
    firsts.set(key, line)
  }
  return lines
}
