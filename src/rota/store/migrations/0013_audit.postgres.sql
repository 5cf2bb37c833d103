-- An act is never changed; it gets its place in the chain once, and goes only by retention.
create function rota.guard_act() returns trigger language plpgsql
set search_path = pg_catalog as $guard$
begin
    if tg_op = 'UPDATE' then
        if old.seq is not null
           or (old.id, old.namespace, old.at, old.who, old.verb, old.subject, old.detail, old.address,
               old.request_id, old.before_digest, old.after_digest)
              is distinct from
              (new.id, new.namespace, new.at, new.who, new.verb, new.subject, new.detail, new.address,
               new.request_id, new.before_digest, new.after_digest) then
            raise exception 'an act on record cannot be changed';
        end if;
        return new;
    end if;
    if old.seq is null
       or old.seq > coalesce((select base_seq from rota.chain where namespace = old.namespace), 0) then
        raise exception 'an act on record goes by retention only';
    end if;
    return old;
end
$guard$;

create trigger act_stays before update or delete on rota.act
    for each row execute function rota.guard_act();
