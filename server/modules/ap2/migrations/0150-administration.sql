-- What waits for an operator, and the figures by day. Rows come in the order of their creation, so that a summary of their
-- pages finds a day.
create index ap2_escrow_open_work on ap2_escrow (status, id desc) where status in ('DISPUTED', 'FROZEN');
create index ap2_escrow_created_at on ap2_escrow using brin (created_at) with (autosummarize = on);
create index ap2_escrow_ended_at on ap2_escrow (ended_at) where fees > 0;
