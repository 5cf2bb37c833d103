-- readable from: 35
-- A worker may claim a run before it has a slot for it, while runs are short. Such a run is held under
-- this fence: it waits, whatever its state says. Any later claim has another fence, so that nobody
-- needs to clear this, and processes of an older version can do without.
alter table rota.run add column held_fence {type:bigint};
