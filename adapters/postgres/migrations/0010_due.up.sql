-- The day on which a problem should be done: the last millisecond of this day in UTC, in
-- microseconds since 1970.

ALTER TABLE problems ADD COLUMN due bigint;
ALTER TABLE savepoints ADD COLUMN due bigint;
