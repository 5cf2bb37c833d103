-- A page of failures is found beside any number of successes, which cost it nothing.
create index run_history_bad on rota.run_history (namespace, id)
    where state in ('failed', 'cancelled', 'skipped');
