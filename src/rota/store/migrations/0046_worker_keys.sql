-- readable from: 35
-- What attempt tokens of remote workers are made with could be read by logins of workers and readers.
-- Workers with such a key are off the record: each registers anew within a heartbeat, and gets a new
-- key; the attempts it was on are taken back and made again.
delete from rota.worker
 where attempt_key is not null;
