-- Until when keys that end by themselves can be renewed, in real time: the authorization of an OAuth client. Null for the
-- service accounts that people make, whose expires_at is business time.
alter table identity_service_account add column renewable_until timestamptz;
