-- Which graph an ended run was of, `namespace name`: how long its nodes took tells how long those
-- of the next run will take. In the row of the end only, written once.
alter table rota.node add column graph text;

create index node_past on rota.node (graph, ended_at) where name = '' and ended_at is not null;
