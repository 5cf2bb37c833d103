create index run_history_finished on rota.run_history (finished_at);
create index attempt_ended on rota.attempt (ended_at);
