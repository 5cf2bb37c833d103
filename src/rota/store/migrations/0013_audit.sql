-- Acts become an audit: where a request came from, digests of before and after, and a chain of
-- hashes per namespace. Rows are written without a place in the chain and get it soon after, in
-- the order of `seq` (ADR 21). Those from before this migration are taken in like new ones.

alter table rota.act add column address text;
alter table rota.act add column request_id text;
alter table rota.act add column before_digest text;
alter table rota.act add column after_digest text;
alter table rota.act add column seq {type:bigint};
alter table rota.act add column hash text;

create index act_unsealed on rota.act (namespace, id) where seq is null;
create unique index act_sealed on rota.act (namespace, seq) where seq is not null;
create index act_newest on rota.act (namespace, id);

-- The end of each chain, and the act before its first: what is older went by retention.
create table rota.chain (
    namespace text not null primary key,
    seq       {type:bigint} not null default 0,
    hash      text not null default '',
    base_seq  {type:bigint} not null default 0,
    base_hash text not null default ''
) {sql:narrow};
