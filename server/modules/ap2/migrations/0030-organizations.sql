-- A side of a deal that is an organization's: who runs it by then speaks for that side. The account stays as the person
-- behind it, for what counts people.
alter table ap2_negotiation
  add column buyer_organization_id uuid references identity_organization (id),
  add column seller_organization_id uuid references identity_organization (id);
create index ap2_negotiation_buyer_organization on ap2_negotiation (buyer_organization_id, id desc)
  where buyer_organization_id is not null;
create index ap2_negotiation_seller_organization on ap2_negotiation (seller_organization_id, id desc)
  where seller_organization_id is not null;
