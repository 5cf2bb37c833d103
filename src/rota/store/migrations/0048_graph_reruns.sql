-- readable from: 35
-- What a node that is done again knows of what was done before, as JSON that only the engine reads: of a
-- mapped node the runs of the graph that have results of its items, of a graph the run to go on from.
-- Processes of an older version do all of it again.
alter table rota.node add column earlier text;

-- Runs of graphs that depend on their past, and that have succeeded, by themselves or by a rerun. Kept
-- as long as failures are: history forgets a success sooner, and an old failure would stand alone.
create table rota.past_success (
    namespace    text not null,
    job          text not null,
    run_id       {type:uuid} not null,
    succeeded_at {type:bigint} not null,
    primary key (namespace, job, run_id)
);

create index past_success_at on rota.past_success (succeeded_at);
