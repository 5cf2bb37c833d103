-- The labels of a job with those of a submit over them, checked as in rules/runs/labels.py; null if
-- there are none.
create function rota.checked_labels(usual json, given json) returns json language plpgsql immutable
set search_path = pg_catalog as $rota$
declare
    bad text;
    all_labels jsonb;
begin
    if given is not null and json_typeof(given) <> 'object' then
        raise exception 'labels are an object of names and values'
            using errcode = 'invalid_parameter_value',
                  hint = 'For example: labels => ''{"team": "billing"}''';
    end if;
    all_labels := coalesce(cast(usual as jsonb), '{}') || coalesce(cast(given as jsonb), '{}');
    if all_labels = '{}' then
        return null;
    end if;
    select e.key
      into bad
      from jsonb_each(all_labels) as e
     where e.key !~ '^[A-Za-z_][A-Za-z0-9_./-]{0,63}$'
        or jsonb_typeof(e.value) not in ('string', 'number', 'boolean')
        or (jsonb_typeof(e.value) = 'string'
            and (length(e.value #>> '{}') not between 1 and 256
                 or (e.value #>> '{}') ~ '[[:cntrl:]]'))
        or (jsonb_typeof(e.value) = 'number'
            and abs(cast(e.value #>> '{}' as numeric)) > 9007199254740992)
     limit 1;
    if bad is not null then
        raise exception 'label "%" has a bad name or value', bad
            using errcode = 'invalid_parameter_value',
                  hint = 'A name is up to 64 letters, digits and _ . / -, a value a text of 1 to 256'
                         ' printable characters, a number, true or false.';
    end if;
    if (select count(*) from jsonb_object_keys(all_labels)) > 32 then
        raise exception 'more than 32 labels' using errcode = 'program_limit_exceeded';
    end if;
    return cast(all_labels as json);
end
$rota$;

-- As before, with labels. A function with one more parameter would be a second one beside it, and
-- a call that both could answer is refused.
drop function rota.submit(text, json, text, int, interval, timestamptz, text, interval, text);
create function rota.submit(
    job        text,
    args       json default '{}',
    queue      text default null,
    priority   int default null,
    delay      interval default null,
    at         timestamptz default null,
    key        text default null,
    key_window interval default interval '7 days',
    namespace  text default 'default',
    labels     json default null
)
returns uuid
language plpgsql
as $rota$
#variable_conflict use_column
declare
    now_ms  bigint := cast(date_part('epoch', statement_timestamp()) * 1000 as bigint);
    -- UUIDv7: 48 bits of time, then the random bits of a version 4 with two bits more set.
    run_id  uuid := cast(encode(
        set_bit(set_bit(overlay(
            uuid_send(gen_random_uuid())
            placing substring(
                int8send(cast(floor(date_part('epoch', clock_timestamp()) * 1000) as bigint))
                from 3)
            from 1 for 6
        ), 52, 1), 53, 1), 'hex') as uuid);
    number  int;
    spec    json;
    kept    text;
    due     bigint;
    level   int;
    lane    text;
    hash    text;
    owner   uuid;
    known   text;
    shares  json;
    share   record;
    place   double precision;
    wanted  json;
begin
    select j.version, cast(j.weights as json)
      into number, shares
      from rota.job as j
     where j.namespace = submit.namespace
       and j.name = submit.job;
    if shares is not null then
        place := rota.point_of(case when submit.key is null then null
                                    else submit.job || E'\n' || submit.key end)
                 * (select sum(cast(e.value as int)) from json_each_text(shares) as e);
        for share in select * from json_each_text(shares) loop
            place := place - cast(share.value as int);
            if place < 0 then
                number := cast(share.key as int);
                exit;
            end if;
        end loop;
    end if;
    select cast(v.spec as json)
      into spec
      from rota.job_version as v
     where v.namespace = submit.namespace
       and v.name = submit.job
       and v.version = number;
    if spec is null then
        raise exception 'no job named "%" is known in namespace "%"', submit.job, submit.namespace
            using errcode = 'undefined_object',
                  hint = 'Start a worker that has it, or submit it once from Python.';
    end if;
    if submit.args is null or json_typeof(submit.args) <> 'object' then
        raise exception 'the arguments of job "%" are an object of names and values', submit.job
            using errcode = 'invalid_parameter_value',
                  hint = 'For example: select rota.submit(''resize'', ''{"image": "a.png"}'')';
    end if;
    select '{' || coalesce(string_agg(
               cast(to_json(e.key) as text) || ':' || btrim(cast(e.value as text), E' \t\r\n'),
               ','), '') || '}'
      into kept
      from json_each(submit.args) as e;
    if octet_length(kept) > 1000000 then
        raise exception 'the arguments of job "%" take % bytes and the limit is 1,000,000',
            submit.job, octet_length(kept)
            using errcode = 'program_limit_exceeded', hint = 'Pass a reference instead.';
    end if;
    lane := coalesce(submit.queue, spec ->> 'queue', 'default');
    level := coalesce(submit.priority, cast(spec ->> 'priority' as int), 0);
    if lane !~ '^[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}$' or level not between -100 and 100 then
        raise exception 'queue "%" or priority % is no good', lane, level
            using errcode = 'invalid_parameter_value',
                  hint = 'A priority is a number from -100 to 100.';
    end if;
    if submit.delay is not null and submit.at is not null then
        raise exception 'give delay or at, not both' using errcode = 'invalid_parameter_value';
    end if;
    due := greatest(now_ms, coalesce(
        cast(date_part('epoch', submit.at) * 1000 as bigint),
        now_ms + cast(date_part('epoch', submit.delay) * 1000 as bigint),
        now_ms));
    wanted := rota.checked_labels(spec -> 'labels', submit.labels);
    if submit.key is not null then
        hash := left(encode(sha256(convert_to(submit.job || E'\n' || kept, 'UTF8')), 'hex'), 32);
        insert into rota.run_key as k (namespace, job, key, run_id, digest, expires_at)
        values (submit.namespace, submit.job, submit.key, run_id, hash,
                now_ms + cast(date_part('epoch', submit.key_window) * 1000 as bigint))
        on conflict (namespace, job, key) do update
           set run_id = excluded.run_id,
               digest = excluded.digest,
               expires_at = excluded.expires_at
         where k.expires_at <= now_ms;
        if not found then
            select k.run_id, k.digest
              into owner, known
              from rota.run_key as k
             where k.namespace = submit.namespace
               and k.job = submit.job
               and k.key = submit.key;
            if known <> hash then
                raise exception 'idempotency key "%" belongs to run % which has other arguments',
                    submit.key, owner
                    using errcode = 'unique_violation',
                          hint = 'Use another key, or the same arguments.';
            end if;
            return owner;
        end if;
    end if;
    -- A level of priority is worth a minute, as in rules/order.py.
    insert into rota.run (
        id, namespace, job, version, queue, priority, state, rank, args, at_most_once, key,
        created_at, due_at, ready_at, expires_at
    )
    values (
        run_id, submit.namespace, submit.job, number, lane, level,
        case when due > now_ms then 'scheduled' else 'queued' end,
        case when due > now_ms then null else now_ms - level * 60000 end,
        kept, coalesce(spec ->> 'delivery' = 'at_most_once', false), submit.key,
        now_ms, due, due, due + cast(spec ->> 'expires_ms' as bigint)
    );
    if wanted is not null then
        insert into rota.run_label (run_id, name, namespace, kind, value)
        select run_id, e.key, submit.namespace,
               case json_typeof(e.value) when 'number' then 'number' when 'boolean' then 'flag'
                    else 'text' end,
               case json_typeof(e.value)
                    when 'number' then cast(cast(e.value #>> '{}' as double precision) as text)
                    else e.value #>> '{}' end
          from json_each(wanted) as e;
    end if;
    -- Told once per transaction and queue however many runs it submits.
    perform pg_notify('rota', case when due > now_ms then 'due'
                                   else submit.namespace || '/' || lane end);
    return run_id;
end
$rota$;
