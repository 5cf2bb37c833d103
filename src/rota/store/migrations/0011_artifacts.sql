-- Large values in a table of their own, and results that may be used again.

-- Written in the transaction that mentions it; named by its content, so that the same value is
-- there once. Rows that are mentioned nowhere any more are found by the indexes below.
create table rota.artifact (
    digest  text not null primary key,
    body    text not null,
    kept_at {type:bigint} not null
);

create index artifact_kept on rota.artifact (kept_at);

-- Results of nodes and jobs with a cache, by a digest of what they depend on.
create table rota.memo (
    namespace  text not null,
    key        text not null,
    run_id     {type:uuid} not null,
    result     text not null,
    expires_at {type:bigint} not null,
    primary key (namespace, key)
);

create index memo_expiring on rota.memo (expires_at);

-- Where pointers may be; values that are there themselves are in none of these.
create index run_pointer on rota.run (args) where substr(args, 1, 1) = '@';
create index run_history_pointer on rota.run_history (args) where substr(args, 1, 1) = '@';
create index run_history_result on rota.run_history (result) where substr(result, 1, 1) = '@';
create index node_pointer on rota.node (result) where substr(result, 1, 1) = '@';
create index memo_pointer on rota.memo (result) where substr(result, 1, 1) = '@';
