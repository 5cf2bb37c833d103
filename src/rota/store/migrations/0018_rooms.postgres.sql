-- What the role of servers may do with tables that policies alone cannot guard. Nobody else may
-- call these; `rota.protect` of the store gives the role its rights, if there is one.

-- Whether a run is of a namespace that this transaction is for. Rows that are read together are
-- mostly of one run, so the last answer is kept: 10,000 nodes ask 74 partitions of history once.
create function rota.is_own_run(run_id uuid) returns boolean language plpgsql volatile
set search_path = pg_catalog as $rota$
begin
    if current_setting('rota.own_run', true) = cast(run_id as text) then
        return true;
    end if;
    perform 1 from rota.run as r where r.id = run_id;
    if not found then
        perform 1 from rota.run_history as h where h.id = run_id;
    end if;
    if found then
        perform set_config('rota.own_run', cast(run_id as text), true);
    end if;
    return found;
end
$rota$;

-- A search for words is not leakproof, so below a policy it would not use its index.
create function rota.search_own_logs(match text, of_job text, since bigint, most int, after int)
returns setof rota.log_chunk language sql stable security definer
set search_path = pg_catalog as $rota$
    select *
      from rota.log_chunk
     where words @@ plainto_tsquery('pg_catalog.simple', match)
       and namespace = any (string_to_array(current_setting('rota.namespaces', true), ','))
       and (of_job is null or job = of_job)
       and first_at >= since
     order by first_at desc, run_id desc, fence desc, seq desc
     limit most
    offset after
$rota$;

-- Large values are named by their content: who knows the name may have the value, and nobody may
-- ask for the names.
create function rota.values_of(digests json) returns table (digest text, body text)
language sql stable security definer set search_path = pg_catalog as $rota$
    select a.digest, a.body
      from rota.artifact as a
     where a.digest = any (array(select json_array_elements_text(digests)))
$rota$;

create function rota.keep_values(batch json, now bigint) returns void
language sql volatile security definer set search_path = pg_catalog as $rota$
    insert into rota.artifact as a (digest, body, kept_at)
    select b.digest, b.body, now
      from json_to_recordset(batch) as b (digest text, body text)
        on conflict (digest) do update
       set kept_at = excluded.kept_at
$rota$;

revoke execute on function rota.search_own_logs(text, text, bigint, int, int) from public;
revoke execute on function rota.values_of(json) from public;
revoke execute on function rota.keep_values(json, bigint) from public;
