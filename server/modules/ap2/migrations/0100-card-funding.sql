-- Which request reserved an escrow: a request that was cut off continues with it.
alter table ap2_escrow add column request_id uuid;
create index ap2_escrow_request_id on ap2_escrow (request_id, created_at desc) where request_id is not null;
