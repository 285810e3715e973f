-- SHA-256 of the agreed terms in canonical JSON (RFC 8785), fixed with the hold. The journal of the hold has it too.
alter table ap2_escrow add column terms_sha256 text;
