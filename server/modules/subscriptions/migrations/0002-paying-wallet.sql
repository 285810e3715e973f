-- The wallet that paid, which gets back what is returned; null while it is unpaid, and if a card paid.
alter table subscriptions_invoice add column wallet_id uuid;
-- Until now the wallet of the subscription got it back; from now on that may change while the paid month lasts.
-- locks: one row for each plan whose month is under way and was paid from a wallet
update subscriptions_invoice i set wallet_id = s.wallet_id from subscriptions_subscription s
  where s.id = i.subscription_id and i.status = 'PAID' and i.rail = 'wallet' and i.recognize_at is not null;
