-- An act is never changed; it gets its place in the chain once, and goes only by retention.
create trigger act_stays before update on rota.act
when old.seq is not null
  or old.id <> new.id or old.namespace <> new.namespace or old.at <> new.at or old.who <> new.who
  or old.verb <> new.verb or old.subject <> new.subject or old.detail <> new.detail
  or old.address is not new.address or old.request_id is not new.request_id
  or old.before_digest is not new.before_digest or old.after_digest is not new.after_digest
begin
    select raise(abort, 'an act on record cannot be changed');
end;

create trigger act_goes_by_retention before delete on rota.act
when old.seq is null
  or old.seq > coalesce((select base_seq from rota.chain where namespace = old.namespace), 0)
begin
    select raise(abort, 'an act on record goes by retention only');
end;
