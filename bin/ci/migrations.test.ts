import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkMigrations, findDangers } from './migrations.ts'

const DANGERS = [
  'create index a on ap2_escrow (id);',
  'CREATE UNIQUE INDEX IF NOT EXISTS a ON ap2_escrow (id)',
  'drop index ap2_escrow_id;',
  'alter table ap2_escrow alter column amount type numeric;',
  'alter table ap2_escrow add column a int, alter b set not null;',
  'alter table ap2_escrow add constraint a check (amount > 0);',
  'alter table ap2_escrow add foreign key (id) references ap2_negotiation (id);',
  'alter table ap2_escrow add constraint a unique (id);',
  'alter table ap2_escrow add column a uuid not null default gen_random_uuid();',
  'alter table ap2_escrow add column a uuid references identity_account (id);',
  'update ap2_escrow set amount = 0;',
  'alter table ap2_escrow drop column amount;',
  'alter table ap2_escrow rename to other;',
]
const HARMLESS = [
  '-- outside a transaction\ndrop index concurrently if exists a;\ncreate index concurrently a on ap2_escrow (id);',
  'alter table ap2_escrow add column a text;',
  "alter table ap2_escrow add column a text not null default 'none';",
  'alter table ap2_escrow add constraint a check (amount > 0) not valid;',
  'alter table ap2_escrow validate constraint a;',
  'alter table ap2_escrow add constraint a unique using index a;',
  'create table new_one (id uuid primary key, other uuid references ap2_escrow (id));\ncreate index a on new_one (other);',
  'create function f() returns void language sql as $$ update ap2_escrow set amount = 0 $$;',
  '-- update ap2_escrow set amount = 0;\nselect 1;',
  '-- locks: payouts_account has a row for each account that is paid.\ncreate index a on payouts_account (id);',
]

test('statements that keep others waiting are refused, with what to do', () => {
  for (const text of DANGERS) assert.match(findDangers(text).join(), /say why it is short/, text)
  for (const text of HARMLESS) assert.deepEqual(findDangers(text), [], text)
})

test('the migrations of this version pass', async () => {
  assert.deepEqual(await checkMigrations(), [])
})
