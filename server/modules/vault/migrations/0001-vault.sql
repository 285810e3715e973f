-- Encrypted files of accounts and agents. Each artifact has a data key of its own, wrapped by a master key, which the
-- service's master key seals. In the database and not in a folder: every instance can read them, and one backup holds all.
create table vault_master_key (
  id uuid primary key,
  sealed text not null,
  created_at timestamptz not null,
  -- Since when it wraps no new data key.
  retired_at timestamptz
);
create unique index vault_master_key_one_current on vault_master_key ((true)) where retired_at is null;

create table vault_artifact (
  id uuid primary key,
  status text not null,
  account_id uuid not null references identity_account (id),
  organization_id uuid references identity_organization (id),
  -- The agent whose key uploaded it.
  agent_id uuid references agents_agent (id),
  name text not null,
  mime_type text not null,
  -- Of the content; while it is uploaded, what is reserved for it.
  bytes bigint not null,
  sha256 text,
  chunks integer not null default 0,
  master_key_id uuid not null references vault_master_key (id),
  wrapped_key bytea not null,
  -- While it is uploaded: until when.
  upload_by timestamptz,
  created_at timestamptz not null,
  constraint vault_artifact_status check (status in ('UPLOADING', 'READY')),
  constraint vault_artifact_upload check ((status = 'UPLOADING') = (upload_by is not null)),
  constraint vault_artifact_content check ((status = 'READY') = (sha256 is not null) and (status = 'UPLOADING' or chunks > 0)),
  constraint vault_artifact_bytes check (bytes > 0)
);
create index vault_artifact_account on vault_artifact (account_id);
create index vault_artifact_master_key on vault_artifact (master_key_id);
create index vault_artifact_upload_by on vault_artifact (upload_by) where status = 'UPLOADING';

create table vault_chunk (
  artifact_id uuid not null references vault_artifact (id) on delete cascade,
  number integer not null,
  -- AES-256-GCM: ciphertext and tag.
  sealed bytea not null,
  primary key (artifact_id, number)
);
alter table vault_chunk alter column sealed set storage external;

-- The deliveries that an artifact is part of; a module above names them.
create table vault_link (
  artifact_id uuid not null references vault_artifact (id) on delete cascade,
  delivery_id uuid not null,
  primary key (artifact_id, delivery_id)
);
create index vault_link_delivery on vault_link (delivery_id);
