-- readable from: 35
-- Graphs with max_runs count the runs under way and look for the next one that waits. Without these
-- indexes they read all live runs for that, a million queued ones too.
create index run_begun on rota.run (namespace, job) where state = 'suspended';
create index run_deferred on rota.run (namespace, job, id) where state = 'pending' and fence > 0;
