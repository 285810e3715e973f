-- When the holder of the confirmed address was shown to hold the account too: by a sign-in or password beside the
-- confirmation, by a mail link that signs in, or by an identity provider (docs/adr/0008).
alter table identity_account add column email_owned_at timestamptz;
update identity_account set email_owned_at = email_verified_at;
