-- Who may log in as what, and see rows of which namespaces ('*' for all). Only the owner writes it;
-- everybody else sees the own row.
create table rota.login (
    name       text not null primary key,
    kind       text not null check (kind in ('server', 'worker', 'reader')),
    role       text not null,
    namespaces text[] not null
);

alter table rota.login enable row level security;
create policy own on rota.login for select using (name = cast(session_user as text));

-- Whoever may act as the owner of the tables: for these the checks below say nothing new.
create function rota.is_owner() returns boolean language sql stable
set search_path = pg_catalog, pg_temp as $rota$
    select pg_has_role(session_user, c.relowner, 'usage')
      from pg_class as c
     where c.oid = cast('rota.run' as regclass)
$rota$;

-- By who logged in, which nothing that is said later can change.
create function rota.own_namespaces() returns text[] language sql stable security definer
set search_path = pg_catalog, pg_temp as $rota$
    select l.namespaces
      from rota.login as l
     where l.name = cast(session_user as text)
$rota$;

-- Without a memory as that of is_own_run: who sends SQL of their own could set it.
create function rota.is_run_of_login(run_id uuid) returns boolean language plpgsql volatile
security definer set search_path = pg_catalog, pg_temp as $rota$
declare
    mine text[] := rota.own_namespaces();
begin
    if '*' = any (mine) then
        return true;
    end if;
    perform 1 from rota.run as r where r.id = run_id and r.namespace = any (mine);
    if not found then
        perform 1 from rota.run_history as h where h.id = run_id and h.namespace = any (mine);
    end if;
    return found;
end
$rota$;

-- Locking a row needs the right to change it. Only of one's own namespaces: others would wait for it.
create function rota.lock_quota(of text) returns table (max_running bigint) language plpgsql
security definer set search_path = pg_catalog, pg_temp as $rota$
declare
    mine text[] := coalesce(
        rota.own_namespaces(), string_to_array(current_setting('rota.namespaces', true), ','));
begin
    if of = any (mine) or '*' = any (mine) then
        return query
        select ns.max_running
          from rota.namespace as ns
         where ns.name = of
           for update;
    end if;
end
$rota$;

-- As keep_values, for who is not believed that a value has the name it is given: kept under the name
-- of another, it would be in the way of that one.
create function rota.keep_own_values(batch json, now bigint) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp as $rota$
begin
    perform 1
       from json_to_recordset(batch) as b (digest text, body text)
      where b.digest is distinct from encode(sha256(convert_to(b.body, 'UTF8')), 'hex');
    if found then
        raise exception 'a value is named by the SHA-256 of its text'
            using errcode = 'invalid_parameter_value';
    end if;
    perform rota.keep_values(batch, now);
end
$rota$;

-- A day of a table that has days, from a week ago to a week ahead.
create function rota.make_day(parent text, start bigint) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp as $rota$
declare
    day_ms constant bigint := 86400000;
    now_ms bigint := cast(date_part('epoch', clock_timestamp()) * 1000 as bigint);
begin
    if parent not in ('run_history_good', 'run_history_bad', 'attempt', 'log_chunk')
       or start % day_ms <> 0
       or not (rota.is_owner() or start between now_ms - 8 * day_ms and now_ms + 8 * day_ms) then
        raise exception 'rota.% has no day that begins at %', parent, start
            using errcode = 'invalid_parameter_value';
    end if;
    execute format(
        'create table rota.%I partition of rota.%I for values from (%s) to (%s)',
        parent || to_char(to_timestamp(start / 1000) at time zone 'UTC', '"_"YYYYMMDD'),
        parent, start, start + day_ms
    );
end
$rota$;

-- Only days, and only those that have ended.
create function rota.drop_day(name text) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp as $rota$
declare
    parts text[] := regexp_match(
        name, '^(run_history_good|run_history_bad|attempt|log_chunk)_([0-9]+)$');
begin
    if parts is null
       or not exists (
            select 1
              from pg_inherits as i
             where i.inhrelid = to_regclass('rota.' || name)
               and i.inhparent = to_regclass('rota.' || parts[1])
           )
       or not (
            rota.is_owner()
            or to_date(parts[2], 'YYYYMMDD') < cast(clock_timestamp() at time zone 'UTC' as date)
           ) then
        raise exception 'rota.% is no day that has ended', name
            using errcode = 'invalid_parameter_value';
    end if;
    execute format('drop table rota.%I', name);
end
$rota$;

-- Where a chain begins after retention: but for the owner, before the first act of the last 30 days,
-- whatever time those after it say.
create function rota.move_base(of text, up_to bigint) returns void language plpgsql
security definer set search_path = pg_catalog, pg_temp as $rota$
declare
    young_ms bigint := cast((date_part('epoch', clock_timestamp()) - 30 * 86400) * 1000 as bigint);
    last_seq bigint := up_to;
begin
    if not rota.is_owner() then
        select least(up_to, min(a.seq) - 1)
          into last_seq
          from rota.act as a
         where a.namespace = of
           and a.seq is not null
           and a.at >= young_ms;
    end if;
    update rota.chain as c
       set base_seq = a.seq,
           base_hash = a.hash
      from rota.act as a
     where c.namespace = of
       and c.base_seq < a.seq
       and a.namespace = of
       and a.seq = last_seq;
end
$rota$;

create function rota.forget_acts(of text, up_to bigint) returns setof bigint language sql
security definer set search_path = pg_catalog, pg_temp as $rota$
    delete from rota.act as a
     using rota.chain as c
     where c.namespace = of
       and a.namespace = of
       and a.seq <= least(up_to, c.base_seq)
    returning a.seq
$rota$;

-- Types are looked for among temporary ones first unless these are named: with one called `text`
-- whoever may call a function could have run as its owner what a domain checks.
alter function rota.search_own_logs(text, text, bigint, int, int)
    set search_path = pg_catalog, pg_temp;
alter function rota.values_of(json) set search_path = pg_catalog, pg_temp;
alter function rota.keep_values(json, bigint) set search_path = pg_catalog, pg_temp;

revoke execute on function rota.is_owner() from public;
revoke execute on function rota.own_namespaces() from public;
revoke execute on function rota.is_run_of_login(uuid) from public;
revoke execute on function rota.lock_quota(text) from public;
revoke execute on function rota.keep_own_values(json, bigint) from public;
revoke execute on function rota.make_day(text, bigint) from public;
revoke execute on function rota.drop_day(text) from public;
revoke execute on function rota.move_base(text, bigint) from public;
revoke execute on function rota.forget_acts(text, bigint) from public;
