-- Skipped runs are kept as long as good ones, among which they would have to be looked for.
create index run_history_not_good on rota.run_history (namespace, id)
    where state in ('failed', 'cancelled', 'skipped');
