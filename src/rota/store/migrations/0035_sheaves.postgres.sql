-- Rows of many runs are long enough to be compressed. As PostgreSQL does it by itself that took 4 us a
-- run, with lz4 one; where that was not built in they stay as they are.
do $rota$
declare
    part regclass;
begin
    for part in
        select relid from pg_partition_tree('rota.log_chunk')
    loop
        begin
            execute format('alter table %s alter column body set compression lz4', part);
            execute format('alter table %s alter column parts set compression lz4', part);
        exception when feature_not_supported then
            execute format('alter table only %s alter column body set storage external', part);
            execute format('alter table only %s alter column parts set storage external', part);
        end;
    end loop;
end
$rota$;
