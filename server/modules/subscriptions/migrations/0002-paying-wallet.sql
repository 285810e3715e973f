-- The wallet that paid, which gets back what is returned; null while it is unpaid, and if a card paid.
alter table subscriptions_invoice add column wallet_id uuid references wallets_wallet (id);
-- Until now the wallet of the subscription got it back; it may change while the paid period lasts.
update subscriptions_invoice i set wallet_id = s.wallet_id from subscriptions_subscription s
  where s.id = i.subscription_id and i.status = 'PAID' and i.rail = 'wallet';
