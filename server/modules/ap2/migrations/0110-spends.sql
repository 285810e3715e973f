-- Escrows of buying agents are their spends (module spending). Those before it are recorded here.
insert into spending_spend (reference, agent_id, amount, returned, spent_at)
select e.id, n.buyer_agent_id, e.amount, case when e.status = 'CANCELLED' then e.amount else e.refunded end, e.created_at
from ap2_escrow e join ap2_negotiation n on n.id = e.negotiation_id where n.buyer_agent_id is not null
on conflict (reference) do nothing;
