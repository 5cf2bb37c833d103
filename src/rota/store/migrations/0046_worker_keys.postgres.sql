-- The owner may do this where it may not change roles; `rota db grant` does the same (store/rights.py).
do $rota$
declare
    known record;
begin
    for known in
        select distinct l.role, l.kind
          from rota.login as l
          join pg_roles as r
            on r.rolname = l.role
         where l.kind in ('worker', 'reader')
    loop
        execute format('revoke select, update on rota.worker from %I', known.role);
        execute format(
            'grant select (id, namespace, name, host, pid, queues, jobs, slots, running, left_behind,'
            ' is_draining, drain_asked, stalled_at, stalled_why, version, started_at, seen_at,'
            ' lease_until, presence, missing_since)'
            ' on rota.worker to %I', known.role);
        if known.kind = 'worker' then
            execute format(
                'grant update (queues, jobs, running, left_behind, is_draining, drain_asked,'
                ' stalled_at, stalled_why, seen_at, lease_until, presence, missing_since) on rota.worker to %I', known.role);
        end if;
    end loop;
end
$rota$;
