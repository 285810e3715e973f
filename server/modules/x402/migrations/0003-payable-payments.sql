-- outside a transaction
-- For each transfer: the payments to its address that it may pay. Most payments to the address of an agent are paid.
drop index concurrently if exists x402_payment_payable;
create index concurrently x402_payment_payable on x402_payment (pay_to, created_at)
  where status in ('PENDING', 'VERIFIED', 'SETTLING', 'EXPIRED', 'FAILED');
