-- readable from: 35
-- Which runs repeat a run: a rerun that succeeded mends the instant of a schedule that its original was for.
create index run_rerun on rota.run (rerun_of) where rerun_of is not null;
create index run_history_rerun on rota.run_history (rerun_of) where rerun_of is not null;
