-- outside a transaction
-- What an agent has to do: without these, each look at its inbox reads every deal and every run that it ever had.
drop index concurrently if exists ap2_negotiation_open_seller;
create index concurrently ap2_negotiation_open_seller on ap2_negotiation (seller_agent_id)
  where ended_at is null and not is_run;
drop index concurrently if exists ap2_negotiation_open_buyer;
create index concurrently ap2_negotiation_open_buyer on ap2_negotiation (buyer_agent_id)
  where ended_at is null and not is_run;
