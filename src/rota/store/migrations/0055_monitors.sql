-- readable from: 35
-- Check-in monitors: foreign jobs that ping an address. `ping_id` is the secret in the address;
-- `pings` counts all pings, and guards each change. `down_at` is when it goes down, or went.
create table rota.monitor (
    id               {type:uuid} not null primary key,
    namespace        text not null,
    name             text not null,
    spec             text not null,
    ping_id          text not null,
    status           text not null default 'new',
    pings            {type:bigint} not null default 0,
    last_at          {type:bigint},
    last_exit        {type:int},
    last_duration_ms {type:bigint},
    started_at       {type:bigint},
    started_rid      text,
    expected_at      {type:bigint},
    down_at          {type:bigint},
    changed_at       {type:bigint} not null,
    changed_by       text not null,
    pause_note       text,
    check (status in ('new', 'up', 'failed', 'paused'))
);

create unique index monitor_name on rota.monitor (namespace, name);
create unique index monitor_ping_id on rota.monitor (ping_id);
create index monitor_down on rota.monitor (namespace, down_at) where down_at is not null;

create table rota.monitor_ping (
    monitor_id  {type:uuid} not null,
    number      {type:bigint} not null,
    namespace   text not null,
    kind        text not null,
    at          {type:bigint} not null,
    exit_status {type:int},
    rid         text,
    duration_ms {type:bigint},
    method      text not null,
    address     text not null,
    agent       text not null,
    size        {type:bigint} not null,
    body        text not null,
    primary key (monitor_id, number)
);

-- The secret with which all monitors of a namespace can be pinged by name.
create table rota.ping_key (
    namespace  text not null primary key,
    secret     text not null unique,
    changed_at {type:bigint} not null
);
