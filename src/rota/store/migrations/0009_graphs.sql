-- Graphs: where the nodes of each run stand, and which run carries out which node.
-- What it adds to runs may be null, so that older processes go on working.

-- One row per node; the one without a name is the end of the whole. Edges are not here: they are
-- in the definition that the run is pinned to. `counts` holds how parents ended, as a JSON list
-- that only the engine reads. A mapped node has so many instances (`width`), of which some are
-- `made` and some have `ended`, `bad` ones among them.
create table rota.node (
    graph_id {type:uuid} not null,
    name     text not null,
    state    text not null,
    version  {type:int},
    run_id   {type:uuid},
    result   text,
    reason   text,
    counts   text not null,
    width    {type:int},
    made     {type:int},
    ended    {type:int},
    bad      {type:int},
    ended_at {type:bigint},
    primary key (graph_id, name)
) {sql:hot};

create index node_ended on rota.node (ended_at) where name = '' and ended_at is not null;

alter table rota.run add column parent_id {type:uuid};
alter table rota.run add column node text;
alter table rota.run add column item {type:int};
alter table rota.run_history add column parent_id {type:uuid};
alter table rota.run_history add column node text;
alter table rota.run_history add column item {type:int};

create index run_child on rota.run (parent_id, node) where parent_id is not null;
create index run_history_child on rota.run_history (parent_id, node, item) where parent_id is not null;
create index run_deadline on rota.run (expires_at) where state = 'suspended' and expires_at is not null;
