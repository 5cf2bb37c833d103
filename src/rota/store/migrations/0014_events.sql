-- Events: named facts from outside that start schedules; `key` makes one that is sent twice one.
-- What it adds to schedules may be null, so that older processes go on working.

alter table rota.schedule add column event text;

create index schedule_event on rota.schedule (namespace, event, id) where event is not null;

create table rota.event (
    id        {type:uuid} not null primary key,
    namespace text not null,
    name      text not null,
    key       text,
    payload   text not null,
    sent_by   text,
    sent_at   {type:bigint} not null
);

create unique index event_key on rota.event (namespace, name, key) where key is not null;
create index event_sent on rota.event (sent_at);
