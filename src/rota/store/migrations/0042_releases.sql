-- readable from: 35
-- Releases: what the code of an app declared, numbered in the order in which each was first seen or
-- was made the one that counts by a person. Code that declared an older one than its successor is
-- older code: it declares nothing (ADR 41). `app` is empty for apps without a name.
create table rota.release (
    namespace text not null,
    app       text not null,
    digest    text not null,
    number    {type:int} not null,
    label     text,
    jobs      text not null,
    schedules text not null,
    seen_at   {type:bigint} not null,
    used_at   {type:bigint} not null,
    used_by   text not null,
    primary key (namespace, app, digest),
    unique (namespace, number)
);
