create table rota.log_chunk (
    run_id    uuid not null,
    namespace text not null,
    job       text not null,
    attempt   int not null,
    fence     bigint not null,
    seq       int not null,
    first_at  bigint not null,
    marks     text not null,
    body      text not null,
    words     tsvector
) partition by range (first_at);
create table rota.log_chunk_rest partition of rota.log_chunk default;

create unique index log_chunk_key on rota.log_chunk (run_id, fence, seq, first_at);
create index log_chunk_fresh on rota.log_chunk (first_at) where words is null;
create index log_chunk_words on rota.log_chunk using gin (words) where words is not null;

-- Words only, without a meaning for paths, addresses and signs: as FTS5 cuts them. The signs are
-- those the parser knows a use for; translate() took four times as long.
create function rota.words_of(body text) returns tsvector
    language sql immutable strict parallel safe
    return to_tsvector(
        'pg_catalog.simple',
        regexp_replace(body, '[/.@_<&%+~:-]', ' ', 'g')
    );
