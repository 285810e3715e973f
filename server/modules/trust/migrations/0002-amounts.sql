-- A deal weighs by its amount, in micro-units; an operator may set the least one that counts for a tier.

alter table trust_outcome add column amount bigint not null default 99000000,
  add constraint trust_outcome_amount check (amount > 0);
-- The deals so far weigh as before; later ones name their amount.
alter table trust_outcome alter column amount drop default;

alter table trust_policy add column min_completion bigint not null default 0;
