/** What finds a change: the ledger check, `audit verify`, or `audit verify` with the anchor file. */
export type Finder = 'check' | 'verify' | 'anchor'

const FUND = "(select id from ledger_journal where kind = 'fund' order by recorded_at limit 1)"
const HELD = "(select id from ap2_escrow where status = 'HELD' limit 1)"
const DONE = "(select id from ap2_escrow where status = 'RELEASED' limit 1)"
const LAST = '(select unnest(items) from ledger_block where number = (select max(number) from ledger_block))'
const entry = (account: string, amount: number) =>
  `insert into ledger_entry (account, asset, amount, journal_id) select '${account}', 'USD', ${amount}, ${FUND}`
const wallet = `(select account from ledger_entry where journal_id = ${FUND} and account like '2010:%')`
const doubled = [
  `update ledger_entry set amount = amount * 2, balance_after = balance_after + case when account = ${wallet} then amount else 0 end where journal_id = ${FUND} and (account = '1010' and amount < 0 or account = ${wallet})`,
]
const forged = (kind: string) => `
  with made as (insert into ledger_journal (id, kind, key, reference, legs, at, hash) select gen_random_uuid(), '${kind}', 'payment/' || gen_random_uuid(), '{}',
      jsonb_build_array(jsonb_build_array('1010', ${wallet}, 'USD', '1000000000000')), now(), repeat('a', 64) returning id),
    moved as (update ledger_balance set balance = balance + 1000000000000 where account = ${wallet} returning balance),
    entries as (insert into ledger_entry (journal_id, account, asset, amount, balance_after)
      select id, ${wallet}, 'USD', 1000000000000, balance from made, moved union all select id, '1010', 'USD', -1000000000000, null from made)
  insert into ledger_unsealed (item_id) select id from made`

/** Statements of someone with write access to the database, and what finds them. */
export const TAMPERINGS: [what: string, statements: string[], finders: Finder[]][] = [
  ['nothing', [], []],
  // Early: of journals that are older than a minute `audit verify` says that they are in no block.
  [
    'the journals of the last block put back to unsealed',
    [
      `insert into ledger_unsealed (item_id) select ${LAST}`,
      'delete from ledger_block where number = (select max(number) from ledger_block)',
    ],
    ['anchor'],
  ],
  [
    "one entry's amount",
    [
      `update ledger_entry set amount = amount + 1 where journal_id = ${FUND} and account = '1010' and amount < 0`,
    ],
    ['check', 'verify'],
  ],
  ['a balance', [`update ledger_balance set balance = balance + 1 where balance > 0`], ['check']],
  ['a rollup', ["update ledger_rollup set balance = balance + 1 where account = '1010'"], ['check']],
  [
    'a balance after an entry',
    [
      `update ledger_entry set balance_after = balance_after + 1 where journal_id = ${FUND} and account = ${wallet}`,
    ],
    ['check'],
  ],
  ['an extra entry', [entry('4010', 5)], ['check', 'verify']],
  ['two extra entries that sum to zero', [entry('4010', 5), entry('5060', -5)], ['check', 'verify']],
  [
    'the same two with the rollup adjusted',
    [
      entry('4010', 5),
      entry('1010', -5),
      "update ledger_rollup set balance = balance + 5 where account = '4010'",
      "update ledger_rollup set balance = balance - 5 where account = '1010'",
    ],
    ['verify'],
  ],
  ['both entries of a journal', doubled, ['check', 'verify']],
  [
    'the time of a journal',
    [`update ledger_journal set at = at - interval '1 day' where id = ${FUND}`],
    ['verify'],
  ],
  [
    'the reference of a journal',
    [`update ledger_journal set reference = '{}' where id = ${FUND}`],
    ['verify'],
  ],
  [
    'the kind of a journal',
    [`update ledger_journal set kind = 'promotion' where id = ${FUND}`],
    ['check', 'verify'],
  ],
  [
    'the last block deleted',
    ['delete from ledger_block where number = (select max(number) from ledger_block)'],
    ['check', 'verify'],
  ],
  ['a middle block deleted', ['delete from ledger_block where number = 2'], ['check', 'verify']],
  [
    'a journal deleted with its entries',
    [
      `delete from ledger_entry where journal_id = ${FUND}`,
      `delete from ledger_journal where id not in (select journal_id from ledger_entry)`,
    ],
    ['check', 'verify'],
  ],
  ['a forged payment that waits to be sealed', [forged('fund')], ['check']],
  ['a forged journal of another kind that takes money from the processor', [forged('grant')], ['check']],
  [
    'the wallet of a seller',
    [
      `update ap2_escrow set seller_wallet_id = (select id from wallets_wallet w where not exists (select from ap2_escrow e where w.id in (e.seller_wallet_id, e.buyer_wallet_id)) limit 1) where id = ${HELD}`,
    ],
    ['check'],
  ],
  [
    'the same of a released escrow',
    [
      `update ap2_escrow set seller_wallet_id = (select id from wallets_wallet w where not exists (select from ap2_escrow e where w.id in (e.seller_wallet_id, e.buyer_wallet_id)) limit 1) where id = ${DONE}`,
    ],
    ['check'],
  ],
  ['the fee rate of an escrow', [`update ap2_escrow set fee_bps = 0 where id = ${HELD}`], ['check']],
  ['the fees of an escrow', [`update ap2_escrow set fees = fees - 1 where id = ${DONE}`], ['check']],
  [
    'the amount of a payment',
    ["update payments_intent set amount = amount * 2 where status = 'SUCCEEDED'"],
    ['check'],
  ],
  [
    'a payment moved to another wallet',
    [`update payments_intent set reference = gen_random_uuid()::text where journal_id = ${FUND}`],
    ['check'],
  ],
  [
    'the currency of a wallet',
    [`update wallets_wallet set currency = 'USDC' where '2010:' || id = ${wallet}`],
    ['check'],
  ],
  [
    'a freeze on a wallet',
    [`update ledger_balance set freezes = '{x}' where account = ${wallet}`],
    ['check'],
  ],
  [
    'a payment without a journal',
    [`update payments_intent set journal_id = gen_random_uuid() where journal_id = ${FUND}`],
    ['check'],
  ],
  ['the record of the keyed chain', ["delete from platform_secret where name = 'chain/ledger'"], ['verify']],
  [
    'an audit event deleted',
    [
      `with gone as (delete from platform_audit_private where audit_id = (select min(audit_id::text)::uuid from platform_audit_private) returning audit_id)
    delete from platform_audit where id in (select audit_id from gone)`,
    ],
    ['verify'],
  ],
]
