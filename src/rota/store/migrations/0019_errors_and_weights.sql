-- Runs by the error that ended them, whatever people did about them since; in the order of ids,
-- so that a page is read and no more.
create index dead_letter_type on rota.dead_letter (namespace, error_type, run_id);
create index dead_letter_cause on rota.dead_letter (namespace, fingerprint, run_id);
