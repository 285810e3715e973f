import { Type } from '#platform/http/type'
import { query, type App } from '#platform/http/operations'
import {
  Currency,
  Id,
  Moment,
  Money,
  named,
  Nullable,
  PageOf,
  pageOf,
  PageQuery,
} from '#platform/http/schema'
import { listAccounts, listEntries, readJournal } from './explorer.ts'

const Account = Type.String({
  maxLength: 200,
  description: 'Code of the chart, with the owner where each owner has an account',
  examples: ['2010:0198c0de-0000-7000-8000-000000000012'],
})
const AccountName = Type.String({
  minLength: 1,
  examples: ['wallet 0198c0de-0000-7000-8000-000000000012'],
  description: 'Account with its name in the chart instead of the code',
})
const Kind = Type.String({ pattern: '^[a-z0-9_.-]+$', description: 'Of the journal', examples: ['transfer'] })
const Memo = Nullable(
  Type.String({ maxLength: 500, examples: ['Thanks'], description: 'Memo of the journal; null without one' }),
)
const Signed = {
  ...Money,
  description: 'As credits see it: + arrives, - leaves; assets and expenses are negative',
}

const LedgerAccount = named(
  'LedgerAccount',
  Type.Object({
    account: Account,
    name: AccountName,
    currency: Currency,
    balance: Signed,
    freezes: Type.Array(Type.String(), { description: 'Why it is frozen', examples: [[]] }),
  }),
)
const LedgerEntry = named(
  'LedgerEntry',
  Type.Object({
    journalId: { ...Id, description: 'Journal of the entry (UUIDv7)' },
    kind: Kind,
    at: Moment,
    amount: Signed,
    currency: Currency,
    balanceAfter: Nullable({ ...Money, description: 'Only of accounts that cannot go below zero' }),
    memo: Memo,
    counterparts: Type.Array(AccountName, { description: 'Where the money came from or went to' }),
  }),
)
const JournalRecord = named(
  'LedgerJournal',
  Type.Object({
    id: { ...Id, description: 'Id of the journal (UUIDv7)' },
    kind: Kind,
    key: Type.String({
      maxLength: 255,
      description: 'The posting key: no journal is posted twice',
      examples: ['transfer/0198c0de'],
    }),
    memo: Memo,
    reference: Type.Record(Type.String(), Type.String({ maxLength: 200 }), {
      description: 'What the journal is about',
      examples: [{ escrowId: '0198c0de-0000-7000-8000-0000000000c1' }],
    }),
    at: { ...Moment, description: 'Business time' },
    recordedAt: { ...Moment, description: 'Real time' },
    hash: Type.String({ description: 'SHA-256 of the journal, in hexadecimal', pattern: '^[0-9a-f]{64}$' }),
    isSealed: Type.Boolean({ description: 'Whether it is part of the chain of blocks', examples: [true] }),
    legs: Type.Array(
      Type.Object({
        debit: Account,
        debitName: AccountName,
        credit: Account,
        creditName: AccountName,
        amount: Money,
        currency: Currency,
      }),
      { minItems: 1, description: 'The legs of the journal' },
    ),
  }),
)

/** The books as admins browse them. */
export function explorerRoutes(app: App): void {
  const read = { method: 'GET', tag: 'Admin', access: { accept: ['jwt'], role: 'ADMIN' } } as const
  query(app, {
    ...read,
    url: '/admin/ledger/accounts',
    id: 'listLedgerAccounts',
    summary: 'List ledger accounts with their balances',
    description: 'Accounts that were used, by name. `code` is a code of the chart, as in the trial balance.',
    query: Type.Object({
      code: Type.Optional(
        Type.String({ pattern: '^[0-9]{4}$', description: 'Only accounts of this code', examples: ['2010'] }),
      ),
      account: Type.Optional({ ...Account, description: 'This account alone' }),
      currency: Type.Optional({ ...Currency, description: 'Only accounts in this currency' }),
      ...PageQuery,
    }),
    snapshot: true,
    success: [200, PageOf(LedgerAccount)],
    run: (q, _, { query: { limit, offset, ...filter } }) =>
      listAccounts(q, filter, pageOf({ limit, offset })),
  })
  query(app, {
    ...read,
    url: '/admin/ledger/accounts/{account}/entries',
    id: 'listLedgerEntries',
    summary: 'List the entries of a ledger account',
    description: 'Newest first. An account without entries has an empty list.',
    params: Type.Object({ account: Account }),
    query: Type.Object(PageQuery),
    snapshot: true,
    success: [200, PageOf(LedgerEntry)],
    run: (q, _, { params, query }) => listEntries(q, params.account, pageOf(query)),
  })
  query(app, {
    ...read,
    url: '/admin/ledger/journals/{id}',
    id: 'getLedgerJournal',
    summary: 'Get a journal with its legs',
    description: 'Each leg debits one account and credits another with the same amount.',
    params: Type.Object({ id: Id }),
    success: [200, JournalRecord],
    run: (q, _, { params }) => readJournal(q, params.id),
  })
}
