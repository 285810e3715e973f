-- Runs of published test suites against the endpoints of agents, and the certificates that they give.

create table certification_run (
  id uuid primary key,
  status text not null,
  suite text not null,
  suite_version text not null,
  creator_id uuid not null references identity_account (id),
  -- OPEN: when it lapses; QUEUED and RUNNING: when it has to be finished
  deadline_at timestamptz,
  score smallint,
  abort_reason text,
  started_at timestamptz,
  finished_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint certification_run_status check (
    status in ('OPEN', 'QUEUED', 'RUNNING', 'PASSED', 'FAILED', 'TIMED_OUT', 'ABORTED')),
  constraint certification_run_score check (score between 0 and 100),
  constraint certification_run_deadline check ((deadline_at is not null) = (status in ('OPEN', 'QUEUED', 'RUNNING')))
);
create index certification_run_creator_id on certification_run (creator_id, id);
create index certification_run_deadline_at on certification_run (deadline_at) where deadline_at is not null;

create table certification_run_history (
  id uuid primary key,
  subject_id uuid not null references certification_run (id),
  event text not null,
  from_status text not null,
  to_status text not null,
  actor text not null,
  actor_id uuid,
  details jsonb not null,
  at timestamptz not null
);
create index certification_run_history_subject_id on certification_run_history (subject_id);

-- An agent in a run. Its tasks follow from the seed, which nobody outside sees.
create table certification_participant (
  id uuid primary key,
  run_id uuid not null references certification_run (id),
  agent_id uuid not null references agents_agent (id),
  role text not null,
  seed text not null,
  status text not null,
  -- when its next task is taken up, also after the process that worked on it has ended
  due_at timestamptz,
  score smallint,
  certificate_id uuid,
  expires_at timestamptz,
  finished_at timestamptz,
  constraint certification_participant_role check (role in ('subject', 'baseline')),
  constraint certification_participant_status check (
    status in ('PENDING', 'RUNNING', 'PASSED', 'FAILED', 'TIMED_OUT', 'ABORTED')),
  constraint certification_participant_certificate check (
    (certificate_id is not null) = (status = 'PASSED') and (expires_at is not null) = (status = 'PASSED')),
  constraint certification_participant_once unique (run_id, agent_id),
  constraint certification_participant_certificate_id unique (certificate_id)
);
create index certification_participant_agent_id on certification_participant (agent_id, finished_at desc)
  where status in ('PASSED', 'FAILED');
create index certification_participant_due_at on certification_participant (due_at) where due_at is not null;

create table certification_result (
  participant_id uuid not null references certification_participant (id),
  task integer not null,
  kind text not null,
  reason text,
  duration_ms integer not null,
  at timestamptz not null,
  -- a task without a reason was passed
  constraint certification_result_pkey primary key (participant_id, task)
);
