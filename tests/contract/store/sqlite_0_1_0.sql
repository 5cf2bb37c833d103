create table if not exists migration (
    number     int not null primary key,
    name       text not null,
    digest     text not null
);

-- 0001 core
create table job (
    namespace text not null,
    name      text not null,
    version   integer not null,
    primary key (namespace, name)
);

create table job_version (
    namespace  text not null,
    name       text not null,
    version    integer not null,
    digest     text not null,
    spec       text not null,
    created_at integer not null,
    primary key (namespace, name, version),
    unique (namespace, name, digest)
);

create table queue (
    namespace  text not null,
    name       text not null,
    is_paused  integer not null default false,
    note       text,
    changed_at integer not null,
    primary key (namespace, name)
);

create table worker (
    id          text not null primary key,
    namespace   text not null,
    name        text not null,
    host        text not null,
    pid         integer not null,
    queues      text not null,
    slots       integer not null,
    running     integer not null default 0,
    is_draining integer not null default false,
    version     text not null,
    started_at  integer not null,
    seen_at     integer not null,
    lease_until integer not null
) ;
create table chore (
    name    text not null primary key,
    next_at integer not null
);

create table run (
    id               text not null primary key,
    namespace        text not null,
    job              text not null,
    version          integer not null,
    queue            text not null,
    priority         integer not null,
    state            text not null,
    rank             integer,
    args             text not null,
    policy           text,
    at_most_once     integer not null,
    key              text,
    rerun_of         text,
    created_at       integer not null,
    due_at           integer not null,
    ready_at         integer not null,
    expires_at       integer,
    attempt          integer not null default 0,
    failures         integer not null default 0,
    crashes          integer not null default 0,
    fence            integer not null default 0,
    worker_id        text,
    started_at       integer,
    cancel_requested integer not null default false,
    cancel_reason    text,
    progress         real,
    progress_note    text,
    error            text,
    check (state in ('pending', 'queued', 'running', 'scheduled', 'suspended')),
    check ((state = 'running') = (worker_id is not null)),
    check (state <> 'queued' or rank is not null)
) ;
create index run_ready on run (namespace, queue, rank, id) where state = 'queued';
create index run_due on run (ready_at) where state = 'scheduled';
create index run_held on run (worker_id) where state = 'running';
create index run_expiring on run (expires_at) where state = 'queued' and expires_at is not null;

create table run_history (
    id            text not null primary key,
    namespace     text not null,
    job           text not null,
    version       integer not null,
    queue         text not null,
    priority      integer not null,
    state         text not null,
    args          text not null,
    policy        text,
    at_most_once  integer not null,
    key           text,
    rerun_of      text,
    created_at    integer not null,
    due_at        integer not null,
    ready_at      integer not null,
    attempt       integer not null,
    failures      integer not null,
    crashes       integer not null,
    fence         integer not null,
    worker_id     text,
    started_at    integer,
    finished_at   integer not null,
    progress      real,
    progress_note text,
    result        text,
    error         text,
    reason        text,
    check (state in ('cancelled', 'failed', 'skipped', 'success'))
) ;
create table attempt (
    run_id     text not null,
    number     integer not null,
    fence      integer not null,
    kind       text not null,
    worker_id  text,
    started_at integer,
    ended_at   integer not null,
    error      text
) ;

create table run_key (
    namespace  text not null,
    job        text not null,
    key        text not null,
    run_id     text not null,
    digest     text not null,
    expires_at integer not null,
    primary key (namespace, job, key)
);

create index run_key_expiring on run_key (expires_at);
create index run_history_finished on run_history (finished_at);
create index attempt_run on attempt (run_id);
create index attempt_ended on attempt (ended_at);

insert into migration (number, name, digest) values (1, 'core', 'c9939fd0fff22c98');

-- 0002 logs
create table log_chunk (
    id        integer primary key,
    run_id    text not null,
    namespace text not null,
    job       text not null,
    attempt   integer not null,
    fence     integer not null,
    seq       integer not null,
    first_at  integer not null,
    marks     text not null,
    body      text not null,
    unique (run_id, fence, seq)
);
create virtual table log_words using fts5(
    body, content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 0'
);

insert into migration (number, name, digest) values (2, 'logs', '93b238c791b25ba4');

-- 0003 dead_letters
create table dead_letter (
    run_id      text not null primary key,
    namespace   text not null,
    job         text not null,
    version     integer not null,
    fingerprint text not null,
    error_type  text not null,
    message     text not null,
    reason      text,
    died_at     integer not null,
    state       text not null default 'open',
    acted_at    integer,
    acted_by    text,
    rerun_id    text,
    check (state in ('open', 'redriven', 'discarded')),
    check ((state = 'redriven') = (rerun_id is not null)),
    check ((state = 'open') = (acted_at is null))
);

create index dead_letter_open on dead_letter (namespace, fingerprint, run_id) where state = 'open';
create index dead_letter_died on dead_letter (died_at);

create table act (
    id        text not null primary key,
    namespace text not null,
    at        integer not null,
    who       text not null,
    verb      text not null,
    subject   text not null,
    detail    text not null
);

create index act_at on act (at);
alter table worker add column jobs text;

insert into migration (number, name, digest) values (3, 'dead_letters', 'c788c526ec39bb77');

-- 0004 effects
alter table run add column checkpoint text;
create table effect (
    run_id      text not null,
    name        text not null,
    fence       integer not null,
    intended_at integer not null,
    settled_at  integer,
    result      text,
    primary key (run_id, name)
);

create index effect_intended on effect (intended_at);

insert into migration (number, name, digest) values (4, 'effects', '98e49978f3abccf5');

-- 0005 breakers
create table breaker (
    namespace  text not null,
    job        text not null,
    rule       text,
    state      text not null default 'closed',
    turn       integer not null default 0,
    opened_at  integer,
    probe_at   integer,
    cools      integer not null default 0,
    stays      integer not null default false,
    probe_id   text,
    note       text,
    changed_at integer not null,
    primary key (namespace, job),
    check (state in ('closed', 'open', 'half_open')),
    check ((state = 'half_open') = (probe_id is not null)),
    check (not stays or state = 'open')
) ;
create index breaker_holding on breaker (namespace, job) where state <> 'closed';
create table breaker_tally (
    namespace  text not null,
    job        text not null,
    turn       integer not null,
    bucket_at  integer not null,
    part       text not null,
    good       integer not null,
    bad        integer not null,
    expires_at integer not null,
    primary key (namespace, job, turn, bucket_at, part)
) ;

create table alert (
    id        text not null primary key,
    namespace text not null,
    at        integer not null,
    kind      text not null,
    payload   text not null,
    told_at   integer,
    sent_at   integer,
    tries     integer not null default 0,
    next_at   integer not null
);

create index alert_waiting on alert (next_at) where sent_at is null;

insert into migration (number, name, digest) values (5, 'breakers', '33a90ea7d1700d9a');

-- 0006 presence
alter table worker add column presence text;
alter table worker add column missing_since integer;
alter table chore add column done_at integer;
alter table chore add column resumed_at integer;

insert into migration (number, name, digest) values (6, 'presence', 'c56801ceac7d3ac0');

-- 0007 schedules
create table schedule (
    id              text not null primary key,
    namespace       text not null,
    name            text not null,
    job             text not null,
    spec            text not null,
    origin          text not null,
    revision        integer not null default 1,
    state           text not null default 'active',
    note            text,
    changed_by      text,
    changed_at      integer not null,
    created_at      integer not null,
    rules_version   text not null,
    calendar        text,
    cursor_at       integer not null,
    last_at         integer,
    next_at         integer,
    look_at         integer,
    late_until      integer,
    pause_after     integer,
    is_strict       integer not null default false,
    follows_end     integer not null default false,
    blocked_by      text,
    fired           integer not null default 0,
    missed          integer not null default 0,
    skipped         integer not null default 0,
    failures        integer not null default 0,
    last_run        text,
    last_state      text,
    last_ended_at   integer,
    last_success    text,
    last_success_at integer,
    unique (namespace, name),
    check (state in ('active', 'paused', 'error', 'ended'))
) ;

create index schedule_look on schedule (look_at) where look_at is not null;
create index schedule_job on schedule (namespace, job);
create index schedule_calendar on schedule (namespace, calendar) where calendar is not null;
create table firing (
    schedule_id text not null,
    instant     integer not null,
    kind        text not null,
    request     text not null default '',
    run_id      text,
    decision    text not null,
    decided_at  integer not null,
    primary key (schedule_id, instant, kind, request)
) ;

create index firing_decided on firing (decided_at);

create table backfill (
    id          text not null primary key,
    namespace   text not null,
    schedule_id text not null,
    from_at     integer not null,
    to_at       integer not null,
    newest_first integer not null,
    reprocess   text not null,
    parallel    integer not null,
    args        text,
    total       integer not null,
    state       text not null default 'active',
    note        text,
    edge_at     integer not null,
    look_at     integer,
    seen        integer not null default 0,
    started     integer not null default 0,
    succeeded   integer not null default 0,
    failed      integer not null default 0,
    created_at  integer not null,
    ended_at    integer,
    check (state in ('active', 'done', 'cancelled', 'error')),
    check (reprocess in ('missing', 'failed', 'all'))
) ;

create index backfill_look on backfill (look_at) where look_at is not null;
create index backfill_of on backfill (schedule_id);

create table calendar (
    namespace  text not null,
    name       text not null,
    version    integer not null,
    spec       text not null,
    changed_at integer not null,
    primary key (namespace, name)
);

create table blackout (
    namespace  text not null,
    name       text not null,
    spec       text not null,
    changed_at integer not null,
    primary key (namespace, name)
);

alter table run add column schedule_id text;
alter table run add column backfill_id text;
alter table run add column origin text;
alter table run_history add column schedule_id text;
alter table run_history add column backfill_id text;
alter table run_history add column origin text;

create index run_fired on run (schedule_id, state) where schedule_id is not null;
create index run_backfilled on run (backfill_id) where backfill_id is not null;

insert into migration (number, name, digest) values (7, 'schedules', '7d480a5748b25bd8');

-- 0008 stored_jobs
alter table job add column origin text not null default 'code';
alter table job add column removed_at integer;

insert into migration (number, name, digest) values (8, 'stored_jobs', 'd8d9cae506eb3c68');

-- 0009 graphs
create table node (
    graph_id text not null,
    name     text not null,
    state    text not null,
    version  integer,
    run_id   text,
    result   text,
    reason   text,
    counts   text not null,
    width    integer,
    made     integer,
    ended    integer,
    bad      integer,
    ended_at integer,
    primary key (graph_id, name)
) ;

create index node_ended on node (ended_at) where name = '' and ended_at is not null;

alter table run add column parent_id text;
alter table run add column node text;
alter table run add column item integer;
alter table run_history add column parent_id text;
alter table run_history add column node text;
alter table run_history add column item integer;

create index run_child on run (parent_id, node) where parent_id is not null;
create index run_history_child on run_history (parent_id, node, item) where parent_id is not null;
create index run_deadline on run (expires_at) where state = 'suspended' and expires_at is not null;

insert into migration (number, name, digest) values (9, 'graphs', '9eba889b88b8811d');

-- 0010 flows
alter table node add column graph text;

create index node_past on node (graph, ended_at) where name = '' and ended_at is not null;

insert into migration (number, name, digest) values (10, 'flows', '9462b43ffec33ef4');

-- 0011 artifacts
create table artifact (
    digest  text not null primary key,
    body    text not null,
    kept_at integer not null
);

create index artifact_kept on artifact (kept_at);
create table memo (
    namespace  text not null,
    key        text not null,
    run_id     text not null,
    result     text not null,
    expires_at integer not null,
    primary key (namespace, key)
);

create index memo_expiring on memo (expires_at);
create index run_pointer on run (args) where substr(args, 1, 1) = '@';
create index run_history_pointer on run_history (args) where substr(args, 1, 1) = '@';
create index run_history_result on run_history (result) where substr(result, 1, 1) = '@';
create index node_pointer on node (result) where substr(result, 1, 1) = '@';
create index memo_pointer on memo (result) where substr(result, 1, 1) = '@';

insert into migration (number, name, digest) values (11, 'artifacts', '1a5fc4f28992193f');

-- 0012 identity
create table namespace (
    name        text not null primary key,
    note        text not null default '',
    max_queued  integer,
    max_running integer,
    max_rate    real,
    max_payload integer,
    created_at  integer not null
);
create table token (
    id         text not null primary key,
    namespace  text not null,
    name       text not null,
    prefix     text not null,
    digest     text not null unique,
    roles      text not null,
    queues     text,
    created_at integer not null,
    created_by text not null,
    expires_at integer,
    used_at    integer,
    revoked_at integer,
    revoked_by text
) ;

create index token_namespace on token (namespace, id);
create table session (
    digest     text not null primary key,
    namespace  text not null,
    token_id   text,
    who        text not null,
    roles      text not null,
    queues     text,
    created_at integer not null,
    seen_at    integer not null,
    expires_at integer not null
) ;

create index session_expiring on session (expires_at);
create index session_token on session (token_id) where token_id is not null;
create table ticket (
    digest     text not null primary key,
    purpose    text not null,
    token_id   text not null,
    expires_at integer not null
);
create table request (
    namespace  text not null,
    key        text not null,
    digest     text not null,
    answer     text not null,
    expires_at integer not null,
    primary key (namespace, key)
) ;

create index request_expiring on request (expires_at);

insert into migration (number, name, digest) values (12, 'identity', 'dab8aa1d666dfabc');

-- 0013 audit
alter table act add column address text;
alter table act add column request_id text;
alter table act add column before_digest text;
alter table act add column after_digest text;
alter table act add column seq integer;
alter table act add column hash text;

create index act_unsealed on act (namespace, id) where seq is null;
create unique index act_sealed on act (namespace, seq) where seq is not null;
create index act_newest on act (namespace, id);
create table chain (
    namespace text not null primary key,
    seq       integer not null default 0,
    hash      text not null default '',
    base_seq  integer not null default 0,
    base_hash text not null default ''
) ;
create trigger act_stays before update on act
when old.seq is not null
  or old.id <> new.id or old.namespace <> new.namespace or old.at <> new.at or old.who <> new.who
  or old.verb <> new.verb or old.subject <> new.subject or old.detail <> new.detail
  or old.address is not new.address or old.request_id is not new.request_id
  or old.before_digest is not new.before_digest or old.after_digest is not new.after_digest
begin
    select raise(abort, 'an act on record cannot be changed');
end;

create trigger act_goes_by_retention before delete on act
when old.seq is null
  or old.seq > coalesce((select base_seq from chain where namespace = old.namespace), 0)
begin
    select raise(abort, 'an act on record goes by retention only');
end;

insert into migration (number, name, digest) values (13, 'audit', 'f4cc80ea12e3c920');

-- 0014 events
alter table schedule add column event text;

create index schedule_event on schedule (namespace, event, id) where event is not null;

create table event (
    id        text not null primary key,
    namespace text not null,
    name      text not null,
    key       text,
    payload   text not null,
    sent_by   text,
    sent_at   integer not null
);

create unique index event_key on event (namespace, name, key) where key is not null;
create index event_sent on event (sent_at);

insert into migration (number, name, digest) values (14, 'events', 'bdd9ac9b35727daa');

-- 0015 owners
alter table job add column app text;
alter table schedule add column app text;
alter table job_version add column origin text;

create index schedule_app on schedule (namespace, app) where app is not null;

insert into migration (number, name, digest) values (15, 'owners', '9f2f3adeddf3429a');

-- 0016 awaited
create table awaited (
    run_id     text not null primary key,
    namespace  text not null,
    parents    text,
    note       text,
    is_cleared integer not null default false,
    created_at integer not null
) ;

insert into migration (number, name, digest) values (16, 'awaited', '7f7dbb19a88c9728');

-- 0017 versions
alter table job add column weights text;
create table job_template (
    namespace  text not null,
    name       text not null,
    spec       text not null,
    revision   integer not null default 1,
    changed_by text not null,
    changed_at integer not null,
    primary key (namespace, name)
);
create index run_history_job on run_history (namespace, job, id);

insert into migration (number, name, digest) values (17, 'versions', '5e3011a10a386ec7');

-- 0018 rooms


insert into migration (number, name, digest) values (18, 'rooms', 'e3b0c44298fc1c14');

-- 0019 weights


insert into migration (number, name, digest) values (19, 'weights', 'e3b0c44298fc1c14');

-- 0020 drains
alter table worker add column drain_asked integer not null default false;

insert into migration (number, name, digest) values (20, 'drains', 'd80248a8574e5d8b');

-- 0021 statistics
create table statistic (
    namespace text not null,
    span_ms   integer not null,
    at        integer not null,
    job       text not null,
    queue     text not null,
    success   integer not null,
    failed    integer not null,
    cancelled integer not null,
    skipped   integer not null,
    retries   integer not null,
    busy_ms   integer not null,
    durations text not null,
    waits     text not null,
    lags      text not null,
    primary key (namespace, span_ms, at, job, queue)
) ;

create index statistic_old on statistic (span_ms, at);
create table counted (
    name  text not null primary key,
    until integer not null
);

insert into migration (number, name, digest) values (21, 'statistics', '6048e768180ed041');

-- 0022 endings


insert into migration (number, name, digest) values (22, 'endings', 'e3b0c44298fc1c14');

-- 0023 bad_endings
create index run_history_bad on run_history (namespace, id)
    where state in ('failed', 'cancelled', 'skipped');

insert into migration (number, name, digest) values (23, 'bad_endings', '504b3a5080f5aa05');

-- 0024 lists
create index run_waiting on run (namespace, queue, job, id, state)
    where state in ('scheduled', '');
create index run_parked on run (namespace, id)
    where state in ('pending', 'suspended') and attempt >= 0;
create index run_troubled on run (namespace, id) where error is not null;
create index run_history_fired on run_history (schedule_id, id) where schedule_id is not null;
create index dead_letter_alike
    on dead_letter (namespace, job, fingerprint, died_at, run_id, state, version);

insert into migration (number, name, digest) values (24, 'lists', 'c11bdb964de2a030');

-- 0026 plans
analyze migration;
delete from sqlite_stat1;
insert into sqlite_stat1 (tbl, idx, stat)
values
    ('run', 'sqlite_autoindex_run_1', '1000000 1'),
    ('run', 'run_ready', '500000 500000 100000 2 1'),
    ('run', 'run_due', '500000 2'),
    ('run', 'run_held', '200 20'),
    ('run', 'run_expiring', '1000 1'),
    ('run', 'run_child', '100000 10 2'),
    ('run', 'run_deadline', '1000 1'),
    ('run', 'run_fired', '100000 3 2'),
    ('run', 'run_backfilled', '100000 1000'),
    ('run', 'run_pointer', '100 1'),
    ('run', 'run_waiting', '500000 500000 100000 10000 1 1'),
    ('run', 'run_parked', '10000 10000 1'),
    ('run', 'run_troubled', '10000 10000 1'),
    ('run_history', 'sqlite_autoindex_run_history_1', '1000000 1'),
    ('run_history', 'run_history_job', '1000000 1000000 10000 1'),
    ('run_history', 'run_history_finished', '1000000 2'),
    ('run_history', 'run_history_bad', '10000 10000 1'),
    ('run_history', 'run_history_fired', '500000 1000 1'),
    ('run_history', 'run_history_child', '100000 10 2 1'),
    ('run_history', 'run_history_pointer', '100 1'),
    ('run_history', 'run_history_result', '100 1'),
    ('run_key', 'sqlite_autoindex_run_key_1', '100000 100000 10000 1'),
    ('run_key', 'run_key_expiring', '100000 2'),
    ('attempt', 'attempt_run', '100000 2'),
    ('attempt', 'attempt_ended', '100000 2'),
    ('dead_letter', 'sqlite_autoindex_dead_letter_1', '10000 1'),
    ('dead_letter', 'dead_letter_open', '10000 10000 500 1'),
    ('dead_letter', 'dead_letter_alike', '10000 10000 1000 500 2 1 1 1'),
    ('dead_letter', 'dead_letter_died', '10000 1'),
    ('schedule', 'sqlite_autoindex_schedule_1', '1000000 1'),
    ('schedule', 'sqlite_autoindex_schedule_2', '1000000 1000000 1'),
    ('schedule', 'schedule_job', '1000000 1000000 2'),
    ('schedule', 'schedule_look', '1000000 10'),
    ('schedule', 'schedule_app', '1000000 1000000 10000'),
    ('schedule', 'schedule_calendar', '1000 1000 100'),
    ('schedule', 'schedule_event', '1000 1000 10 1'),
    ('node', 'sqlite_autoindex_node_1', '1000000 10 1'),
    ('node', 'node_ended', '100000 1'),
    ('node', 'node_past', '100000 10000 1'),
    ('node', 'node_pointer', '100 1');
analyze sqlite_schema;

insert into migration (number, name, digest) values (26, 'plans', 'c873f40966727b88');

-- 0027 remote_workers
alter table worker add column token_id text;
alter table worker add column attempt_key text;

insert into migration (number, name, digest) values (27, 'remote_workers', '70c5d64aef135ae3');

-- 0028 logins


insert into migration (number, name, digest) values (28, 'logins', 'e3b0c44298fc1c14');

-- 0032 short_keys
create table log_chunk_next (
    id        integer primary key,
    run_id    text not null,
    namespace text not null,
    job       text not null,
    attempt   integer not null,
    fence     integer not null,
    seq       integer not null,
    first_at  integer not null,
    marks     text not null,
    body      text not null
);
insert into log_chunk_next (
    id, run_id, namespace, job, attempt, fence, seq, first_at, marks, body
)
select id, run_id, namespace, job, attempt, fence, seq, first_at, marks, body
  from log_chunk
 order by id;
drop table log_chunk;
alter table log_chunk_next rename to log_chunk;
create index log_chunk_run on log_chunk (substr(cast(run_id as text), 1, 13));
insert into sqlite_stat1 (tbl, idx, stat) values ('log_chunk', 'log_chunk_run', '1000000 10');

insert into migration (number, name, digest) values (32, 'short_keys', '7d998542e12e7218');

-- 0033 refused
alter table statistic add column refused integer not null default 0;

insert into migration (number, name, digest) values (33, 'refused', 'ba1e7688740b3125');

-- 0035 sheaves
alter table log_chunk add column last_id text;
alter table log_chunk add column parts text;
create index log_chunk_sheaf on log_chunk (run_id) where last_id is not null;

insert into migration (number, name, digest) values (35, 'sheaves', 'c0c893f353257929');
