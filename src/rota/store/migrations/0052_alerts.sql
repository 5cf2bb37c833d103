-- readable from: 35
-- Alert rules and channels, the incidents that rules find, and the messages about them.
create table rota.alert_rule (
    namespace  text not null,
    name       text not null,
    spec       text not null,
    changed_at {type:bigint} not null,
    primary key (namespace, name)
);

create table rota.alert_channel (
    namespace  text not null,
    name       text not null,
    spec       text not null,
    changed_at {type:bigint} not null,
    primary key (namespace, name)
);

-- `last_at`: when it was last seen. `told_at`: when people were last told, and `messages` how often:
-- it guards each change, so that two processes do not tell the same.
create table rota.incident (
    id         {type:uuid} not null primary key,
    namespace  text not null,
    rule       text not null,
    kind       text not null,
    subject    text not null,
    severity   text not null,
    title      text not null,
    advice     text,
    job        text,
    cause      text,
    queue      text,
    run_id     {type:uuid},
    opened_at  {type:bigint} not null,
    last_at    {type:bigint} not null,
    closed_at  {type:bigint},
    messages   {type:int} not null default 0,
    told_at    {type:bigint}
);

create unique index incident_open on rota.incident (namespace, rule, kind, subject)
    where closed_at is null;
create index incident_list on rota.incident (namespace, id);
create index incident_closed on rota.incident (closed_at) where closed_at is not null;

create table rota.alert_message (
    id         {type:uuid} not null primary key,
    namespace  text not null,
    channel    text not null,
    rule       text,
    kind       text not null,
    title      text not null,
    payload    text not null,
    at         {type:bigint} not null,
    state      text not null default 'waiting',
    tries      {type:int} not null default 0,
    next_at    {type:bigint},
    sent_at    {type:bigint},
    failed_at  {type:bigint},
    error      text,
    check (state in ('waiting', 'sent', 'given_up')),
    check ((state = 'waiting') = (next_at is not null))
);

create index alert_message_due on rota.alert_message (next_at) where state = 'waiting';
create index alert_message_rule on rota.alert_message (namespace, rule, at);
create index alert_message_channel on rota.alert_message (namespace, channel, at);
