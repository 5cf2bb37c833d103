-- The core: jobs and their versions, live runs, history, attempts, queues, workers, chores.
-- Times are milliseconds of the database clock. JSON is text that SQL does not look into.

create table rota.job (
    namespace text not null,
    name      text not null,
    version   {type:int} not null,
    primary key (namespace, name)
);

create table rota.job_version (
    namespace  text not null,
    name       text not null,
    version    {type:int} not null,
    digest     text not null,
    spec       text not null,
    created_at {type:bigint} not null,
    primary key (namespace, name, version),
    unique (namespace, name, digest)
);

create table rota.queue (
    namespace  text not null,
    name       text not null,
    is_paused  {type:bool} not null default false,
    note       text,
    changed_at {type:bigint} not null,
    primary key (namespace, name)
);

create table rota.worker (
    id          {type:uuid} not null primary key,
    namespace   text not null,
    name        text not null,
    host        text not null,
    pid         {type:int} not null,
    queues      text not null,
    slots       {type:int} not null,
    running     {type:int} not null default 0,
    is_draining {type:bool} not null default false,
    version     text not null,
    started_at  {type:bigint} not null,
    seen_at     {type:bigint} not null,
    lease_until {type:bigint} not null
) {sql:narrow};

-- Who did a background chore last; spares work only, safety never hangs on it.
create table rota.chore (
    name    text not null primary key,
    next_at {type:bigint} not null
);

create table rota.run (
    id               {type:uuid} not null primary key,
    namespace        text not null,
    job              text not null,
    version          {type:int} not null,
    queue            text not null,
    priority         {type:int} not null,
    state            text not null,
    rank             {type:bigint},
    args             text not null,
    policy           text,
    at_most_once     {type:bool} not null,
    key              text,
    rerun_of         {type:uuid},
    created_at       {type:bigint} not null,
    due_at           {type:bigint} not null,
    ready_at         {type:bigint} not null,
    expires_at       {type:bigint},
    attempt          {type:int} not null default 0,
    failures         {type:int} not null default 0,
    crashes          {type:int} not null default 0,
    fence            {type:bigint} not null default 0,
    worker_id        {type:uuid},
    started_at       {type:bigint},
    cancel_requested {type:bool} not null default false,
    cancel_reason    text,
    progress         {type:real},
    progress_note    text,
    error            text,
    check (state in ({states:live})),
    check ((state = 'running') = (worker_id is not null)),
    check (state <> 'queued' or rank is not null)
) {sql:hot};

-- The claim index holds only what can run now: ten million future runs are not in it.
create index run_ready on rota.run (namespace, queue, rank, id) where state = 'queued';
create index run_due on rota.run (ready_at) where state = 'scheduled';
create index run_held on rota.run (worker_id) where state = 'running';
create index run_expiring on rota.run (expires_at) where state = 'queued' and expires_at is not null;

create table rota.run_history (
    id            {type:uuid} not null{sql:sole_key},
    namespace     text not null,
    job           text not null,
    version       {type:int} not null,
    queue         text not null,
    priority      {type:int} not null,
    state         text not null,
    args          text not null,
    policy        text,
    at_most_once  {type:bool} not null,
    key           text,
    rerun_of      {type:uuid},
    created_at    {type:bigint} not null,
    due_at        {type:bigint} not null,
    ready_at      {type:bigint} not null,
    attempt       {type:int} not null,
    failures      {type:int} not null,
    crashes       {type:int} not null,
    fence         {type:bigint} not null,
    worker_id     {type:uuid},
    started_at    {type:bigint},
    finished_at   {type:bigint} not null,
    progress      {type:real},
    progress_note text,
    result        text,
    error         text,
    reason        text,
    check (state in ({states:final}))
) {sql:by_state};

-- Attempts that did not succeed; a success is told by its history row.
create table rota.attempt (
    run_id     {type:uuid} not null,
    number     {type:int} not null,
    fence      {type:bigint} not null,
    kind       text not null,
    worker_id  {type:uuid},
    started_at {type:bigint},
    ended_at   {type:bigint} not null,
    error      text
) {sql:by_ended};

create table rota.run_key (
    namespace  text not null,
    job        text not null,
    key        text not null,
    run_id     {type:uuid} not null,
    digest     text not null,
    expires_at {type:bigint} not null,
    primary key (namespace, job, key)
);

create index run_key_expiring on rota.run_key (expires_at);
