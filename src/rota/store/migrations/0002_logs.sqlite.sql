create table rota.log_chunk (
    id        integer primary key,
    run_id    text not null,
    namespace text not null,
    job       text not null,
    attempt   integer not null,
    fence     integer not null,
    seq       integer not null,
    first_at  integer not null,
    marks     text not null,
    body      text not null,
    unique (run_id, fence, seq)
);

-- Without the text, which is in log_chunk already; filled behind the writers, in the order of ids.
create virtual table rota.log_words using fts5(
    body, content = '', contentless_delete = 1,
    tokenize = 'unicode61 remove_diacritics 0'
);
