/**
 * Reserves shares of limits for a batch of calls. Sliding windows and several limits per call do not fit into one update, so
 * the condition and the update are a function: one statement, which is exact for any number of hosts, because the row of
 * the clock is locked until it commits. The time is that of the database. Every statement in it sees what was committed
 * before the lock was taken. A changed function gets a new name: hosts of both versions may run at once.
 *
 * `calls`: for each call a list of limits. Returns for each call the times of its shares, or the limit that is full.
 */
export const reserveFunction = `
create or replace function toolwharf_reserve_1(calls jsonb, tolerance double precision, cleanup_ms bigint) returns jsonb
language plpgsql as $body$
declare
  results jsonb := '[]';
  stored bigint;
  now_ms bigint;
  entry jsonb;
  meter jsonb;
  place integer;
  total double precision;
  room double precision;
  wait_ms double precision;
  step bigint;
  share_at bigint;
  shares jsonb;
  rejection jsonb;
  past record;
  is_taken boolean := false;
begin
  -- The audit entry that follows is flushed, and this commit with it.
  perform set_config('synchronous_commit', 'off', true);
  insert into limit_clock (id, at) values (1, 0) on conflict (id) do nothing;
  select at into stored from limit_clock where id = 1 for update;
  now_ms := greatest(stored, floor(extract(epoch from clock_timestamp()) * 1000)::bigint);
  for entry in select value from jsonb_array_elements(calls) loop
    rejection := null;
    place := 0;
    for meter in select value from jsonb_array_elements(entry) loop
      select coalesce(sum(used), 0) into total from limit_use
        where principal = meter->>'principal' and tool = meter->>'tool' and kind = meter->>'kind'
          and window_ms = (meter->>'windowMs')::bigint and at > now_ms - (meter->>'windowMs')::bigint;
      room := (meter->>'max')::double precision * (1 + tolerance) - (meter->>'amount')::double precision;
      if total > room then
        rejection := jsonb_build_object('meter', place, 'used', total, 'waitMs', null);
        if room >= 0 then rejection := jsonb_set(rejection, '{waitMs}', meter->'windowMs'); end if;
        wait_ms := total;
        for past in select at, used from limit_use
            where principal = meter->>'principal' and tool = meter->>'tool' and kind = meter->>'kind'
              and window_ms = (meter->>'windowMs')::bigint and at > now_ms - (meter->>'windowMs')::bigint
            order by at loop
          wait_ms := wait_ms - past.used;
          if wait_ms <= room then
            rejection := jsonb_set(rejection, '{waitMs}',
              to_jsonb(past.at + (meter->>'windowMs')::bigint - now_ms));
            exit;
          end if;
        end loop;
        exit;
      end if;
      place := place + 1;
    end loop;
    if rejection is not null then
      results := results || jsonb_build_array(rejection);
      continue;
    end if;
    shares := '[]';
    for meter in select value from jsonb_array_elements(entry) loop
      step := (meter->>'step')::bigint;
      share_at := ((now_ms + step - 1) / step) * step;
      insert into limit_use (principal, tool, kind, window_ms, at, used)
        values (meter->>'principal', meter->>'tool', meter->>'kind', (meter->>'windowMs')::bigint, share_at,
          (meter->>'amount')::double precision)
        on conflict (principal, tool, kind, window_ms, at) do update set used = limit_use.used + excluded.used;
      shares := shares || to_jsonb(share_at);
    end loop;
    is_taken := true;
    results := results || jsonb_build_array(jsonb_build_object('at', shares));
  end loop;
  if is_taken and now_ms >= stored + cleanup_ms then
    update limit_clock set at = now_ms where id = 1;
    delete from limit_use where at + window_ms <= now_ms;
  end if;
  return results;
end
$body$`;
