-- Schedules, what became of each of their instants, backfills, calendars and maintenance windows.
-- What it adds to runs may be null, so that older processes go on working.

-- `cursor_at`: every instant up to here is dealt with; it only ever grows. `last_at`: the last such
-- instant of the present trigger. `look_at`: when a scheduler has to look; null when nothing will
-- come by itself. `late_until`: instants up to here count as missed however fresh they are.
create table rota.schedule (
    id              {type:uuid} not null primary key,
    namespace       text not null,
    name            text not null,
    job             text not null,
    spec            text not null,
    origin          text not null,
    revision        {type:int} not null default 1,
    state           text not null default 'active',
    note            text,
    changed_by      text,
    changed_at      {type:bigint} not null,
    created_at      {type:bigint} not null,
    rules_version   text not null,
    calendar        text,
    cursor_at       {type:bigint} not null,
    last_at         {type:bigint},
    next_at         {type:bigint},
    look_at         {type:bigint},
    late_until      {type:bigint},
    pause_after     {type:int},
    is_strict       {type:bool} not null default false,
    follows_end     {type:bool} not null default false,
    blocked_by      {type:uuid},
    fired           {type:bigint} not null default 0,
    missed          {type:bigint} not null default 0,
    skipped         {type:bigint} not null default 0,
    failures        {type:int} not null default 0,
    last_run        {type:uuid},
    last_state      text,
    last_ended_at   {type:bigint},
    last_success    {type:uuid},
    last_success_at {type:bigint},
    unique (namespace, name),
    check (state in ('active', 'paused', 'error', 'ended'))
) {sql:hot};

create index schedule_look on rota.schedule (look_at) where look_at is not null;
create index schedule_calendar on rota.schedule (namespace, calendar) where calendar is not null;

-- One row per start that was asked for: the key is what makes an instant fire once. `request` is
-- empty for time, and the id of whoever asked for manual starts and backfills.
create table rota.firing (
    schedule_id {type:uuid} not null,
    instant     {type:bigint} not null,
    kind        text not null,
    request     text not null default '',
    run_id      {type:uuid},
    decision    text not null,
    decided_at  {type:bigint} not null,
    primary key (schedule_id, instant, kind, request)
) {sql:hot};

create index firing_decided on rota.firing (decided_at);

create table rota.backfill (
    id          {type:uuid} not null primary key,
    namespace   text not null,
    schedule_id {type:uuid} not null,
    from_at     {type:bigint} not null,
    to_at       {type:bigint} not null,
    newest_first {type:bool} not null,
    reprocess   text not null,
    parallel    {type:int} not null,
    args        text,
    total       {type:bigint} not null,
    state       text not null default 'active',
    note        text,
    edge_at     {type:bigint} not null,
    look_at     {type:bigint},
    seen        {type:bigint} not null default 0,
    started     {type:bigint} not null default 0,
    succeeded   {type:bigint} not null default 0,
    failed      {type:bigint} not null default 0,
    created_at  {type:bigint} not null,
    ended_at    {type:bigint},
    check (state in ('active', 'done', 'cancelled', 'error')),
    check (reprocess in ('missing', 'failed', 'all'))
) {sql:narrow};

create index backfill_look on rota.backfill (look_at) where look_at is not null;
create index backfill_of on rota.backfill (schedule_id);

create table rota.calendar (
    namespace  text not null,
    name       text not null,
    version    {type:int} not null,
    spec       text not null,
    changed_at {type:bigint} not null,
    primary key (namespace, name)
);

create table rota.blackout (
    namespace  text not null,
    name       text not null,
    spec       text not null,
    changed_at {type:bigint} not null,
    primary key (namespace, name)
);

alter table rota.run add column schedule_id {type:uuid};
alter table rota.run add column backfill_id {type:uuid};
alter table rota.run add column origin text;
alter table rota.run_history add column schedule_id {type:uuid};
alter table rota.run_history add column backfill_id {type:uuid};
alter table rota.run_history add column origin text;

create index run_fired on rota.run (schedule_id, state) where schedule_id is not null;
create index run_backfilled on rota.run (backfill_id) where backfill_id is not null;
