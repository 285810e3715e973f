-- What an account moved on one day without further proof or approval; one row per account and kind. Business time.
create table wallets_day_total (
  account_id uuid not null,
  kind text not null,
  day date not null,
  -- micro-units, of whatever currency
  amount bigint not null,
  primary key (account_id, kind),
  constraint wallets_day_total_kind_known check (kind in ('admin', 'own')),
  constraint wallets_day_total_not_negative check (amount >= 0)
);
