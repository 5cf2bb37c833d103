-- name: find_awaited
select run_id, is_cleared, note
  from rota.awaited
 where run_id {ids:ids}

-- name: insert_awaited
insert into rota.awaited (run_id, namespace, created_at)
values (:run_id, :namespace, {now})
on conflict (run_id) do nothing

-- name: forget_awaited
delete from rota.awaited
 where run_id {ids:ids}

-- name: is_awaited
select 1 as there
  from rota.awaited
 where not is_cleared
 limit 1

-- name: take_awaited
-- Runs that wait. Cleared ones have their place in a queue, unless another transaction held their
-- rows just then, or they have ended before they began.
select a.run_id, a.parents, a.note, r.namespace, r.job, r.version, r.fence, r.state, r.origin,
       r.schedule_id, r.rerun_of
  from rota.awaited as a
  left join rota.run as r
    on r.id = a.run_id
 where (not a.is_cleared or r.id is null or r.state = 'pending')
   and (cast(:after as {type:uuid}) is null or a.run_id > :after)
 order by a.run_id
 limit :limit
 {lock:a}

-- name: note_awaited
update rota.awaited
   set parents = :parents,
       note = :note
 where run_id = :run_id

-- name: clear_awaited
update rota.awaited
   set is_cleared = true,
       note = null
 where run_id {ids:ids}

-- name: parents_at
-- The runs for an instant in the schedules of a job; a backfill of it counts as well.
select s.id, s.namespace, s.name, s.job, s.spec, s.state, s.calendar, s.cursor_at,
       f.run_id, f.decision, coalesce(r.state, h.state) as run_state
  from rota.schedule as s
  left join rota.firing as f
    on f.schedule_id = s.id
   and f.instant = :at
   and f.kind in ('time', 'backfill')
  left join rota.run as r
    on r.id = f.run_id
  left join rota.run_history as h
    on h.id = f.run_id
 where s.namespace = :namespace
   and s.job = :job
 order by s.name, f.decided_at, f.run_id is not null, f.run_id

-- name: live_before
-- The newest run of a job that was submitted earlier and has not ended, among the last few.
select r.id
  from (
        select id, namespace, job, parent_id
          from rota.run
         where id < :id
         order by id desc
         limit :limit
       ) as r
 where r.namespace = :namespace
   and r.job = :job
   and r.parent_id is null
 order by r.id desc
 limit 1

-- name: states_of
select id, state
  from rota.run
 where id {ids:ids}
 union all
select id, state
  from rota.run_history
 where id {ids:ids}
