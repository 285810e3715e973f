import assert from 'node:assert/strict'
import { formatMoney, parseAmount } from '#platform/kernel/money'
import type { TestService } from '#test'
import { ROWS, type Row } from './table.ts'

type Leg = [debit: string, credit: string, asset: string, amount: string]
interface Journal {
  id: string
  kind: string
  key: string
  reference: Record<string, string>
  legs: Leg[]
}
interface Snapshot {
  /** Of all journals before an event, and the journals that are new after it. */
  ids: string[]
  added: Journal[]
  /** Micro-units by account and asset, credit-positive. */
  balances: Map<string, bigint>
}

/** Ids of a case by the names that its rows have for them. */
export type Names = Record<string, string>
interface Holder {
  walletId: string
  token: string
}

/** The books of a service, read before and after an event. */
export class Books {
  readonly driven = new Set<string>()
  readonly service: TestService

  constructor(service: TestService) {
    this.service = service
  }

  /**
   * Lets an event happen, and compares what it posted with its rows: the journals that concern the case are exactly those, and
   * all balances moved as all new journals say. `holders` are wallets whose owner reads the balance over HTTP too.
   */
  async drive(
    rows: string | readonly string[],
    run: () => Promise<Names>,
    holders: readonly Holder[] = [],
  ): Promise<Names> {
    const before = await this.#read()
    const names = await run()
    const after = await this.#read(before.ids)
    const { added } = after
    const about = added.filter(journal => concerns(journal, Object.values(names)))
    const expected = [rows].flat().map(name => this.#row(name))
    const posted = expected.filter(row => row.kind !== '')
    assert.deepEqual(
      about.map(textOf).sort(),
      posted.map(row => wordsOf(row, names, about)).sort(),
      expected.map(({ event }) => event).join(', '),
    )
    assertMoved(before, after, added)
    for (const holder of holders) await this.#assertRead(holder, after)
    for (const name of [rows].flat()) this.driven.add(name)
    return names
  }

  #row(name: string): Row {
    return ROWS.get(name) ?? assert.fail(`the table has no row ${name}`)
  }

  /** In one statement, so that all of it is of one moment: without `known` the ids of all journals, else the other journals. */
  async #read(known?: readonly string[]): Promise<Snapshot> {
    const journals = known
      ? `'{}'::text[] as ids, (select json_agg(json_build_object('id', id, 'kind', kind, 'key', key, 'reference', reference, 'legs', legs))
          from ledger_journal where id::text <> all($1)) as added`
      : `(select array_agg(id::text) from ledger_journal) as ids, null as added`
    const { rows } = await this.service.services.db.pool.query<{
      ids: string[] | null
      added: Journal[] | null
      balances: Record<string, string> | null
    }>(
      `select ${journals},
      (select json_object_agg(account || ' ' || asset, balance::text) from (
        select account, asset, balance from ledger_balance union all
        select account, asset, sum(amount) from ledger_entry where balance_after is null group by account, asset) b) as balances`,
      known ? [known] : [],
    )
    const [{ ids, added, balances } = { ids: null, added: null, balances: null }] = rows
    return {
      ids: ids ?? [],
      added: added ?? [],
      balances: new Map(Object.entries(balances ?? {}).map(([account, text]) => [account, BigInt(text)])),
    }
  }

  async #assertRead({ walletId, token }: Holder, { balances }: Snapshot): Promise<void> {
    const { body } = await this.service.http<{ withdrawable: string; testBalance: string; currency: string }>(
      'GET',
      `/wallets/${walletId}`,
      { token },
    )
    const booked = (code: string) => formatMoney(balances.get(`${code}:${walletId} ${body.currency}`) ?? 0n)
    assert.deepEqual([body.withdrawable, body.testBalance], [booked('2010'), booked('2011')], walletId)
  }
}

const concerns = ({ key, reference, legs }: Journal, ids: readonly string[]): boolean => {
  const text = JSON.stringify([key, reference, legs])
  return ids.some(id => id.length > 20 && text.includes(id))
}

const textOf = ({ kind, key, legs }: Journal): string =>
  `${kind} ${key}: ${legs.map(([debit, credit, asset, amount]) => `${debit}->${credit} ${amount} ${asset}`).join('; ')}`

/** What a row says with the ids of a case; what only the service knows is taken from the journal that it posted. */
function wordsOf({ kind, key, legs }: Row, names: Names, posted: readonly Journal[]): string {
  const named = (text: string) => text.replaceAll(/\{(\w+)\}/g, (word, name: string) => names[name] ?? word)
  const pattern = new RegExp(
    `^${named(key)
      .replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
      .replaceAll(/\{\w+\}/g, String.raw`[\w.-]+`)}$`,
  )
  const found = posted.find(journal => journal.kind === kind && pattern.test(journal.key))
  const lines = legs.map((leg, at) => {
    const [accounts = '', amount = '', asset = 'USD'] = named(leg).split(' ')
    const micro = amount === '*' ? found?.legs[at]?.[3] : String(parseAmount(amount))
    return `${accounts} ${micro} ${asset}`
  })
  return `${kind} ${found?.key ?? named(key)}: ${lines.join('; ')}`
}

/** Every balance moved by exactly what the new journals say. */
function assertMoved(before: Snapshot, after: Snapshot, added: readonly Journal[]): void {
  const moved = new Map(before.balances)
  const move = (account: string, amount: bigint) => moved.set(account, (moved.get(account) ?? 0n) + amount)
  for (const { legs } of added)
    for (const [debit, credit, asset, amount] of legs) {
      move(`${debit} ${asset}`, -BigInt(amount))
      move(`${credit} ${asset}`, BigInt(amount))
    }
  for (const [account, balance] of after.balances) assert.equal(balance, moved.get(account) ?? 0n, account)
}
