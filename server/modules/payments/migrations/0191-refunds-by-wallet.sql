-- outside a transaction
-- For the sums of an owner by period: refunds to cards have no entry in a wallet.
drop index concurrently if exists payments_refund_wallet_id;
create index concurrently payments_refund_wallet_id on payments_refund (wallet_id, created_at);
