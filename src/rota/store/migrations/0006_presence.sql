-- Presence: how others see that a worker's process lives, and since when they do not see it.
alter table rota.worker add column presence text;
alter table rota.worker add column missing_since {type:bigint};

-- Amnesty: when a chore was done last, and when it began again after a long gap.
alter table rota.chore add column done_at {type:bigint};
alter table rota.chore add column resumed_at {type:bigint};
