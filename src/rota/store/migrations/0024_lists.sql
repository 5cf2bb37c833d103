-- Lists of runs without reading all of them (ADR 27). Runs that are submitted for now, claimed and
-- ended are in none of these indexes: they hold what waits for a time, for others, or for another
-- attempt, what schedules have started, and dead letters.
-- Said as only lists say it: neither are verbs to choose these indexes, nor lists those of verbs.
create index run_waiting on rota.run (namespace, queue, job, id, state)
    where state in ('scheduled', '');
create index run_parked on rota.run (namespace, id)
    where state in ('pending', 'suspended') and attempt >= 0;
create index run_troubled on rota.run (namespace, id) where error is not null;
create index run_history_fired on rota.run_history (schedule_id, id) where schedule_id is not null;
create index dead_letter_alike
    on rota.dead_letter (namespace, job, fingerprint, died_at, run_id, state, version);
