-- Keys that sign documents (passports, agreed terms). The secrets are in platform_secret, sealed. A key signs from
-- `signs_from` until that of the next one, and verifies for as long as a document that it signed is valid.
create table identity_document_key (
  number integer primary key,
  signs_from timestamptz not null,
  created_at timestamptz not null,
  constraint identity_document_key_number check (number > 0)
);
