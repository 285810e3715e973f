-- What a payer signed is needed until the payment has ended, and erased then.
update x402_authorization set payload = '{}'
where payment_id in (select id from x402_payment where status in ('FINAL', 'LATE', 'FAILED'));
