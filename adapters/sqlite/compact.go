package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
)

// forCompacting has temporary data in a file: it is as large as the store.
const forCompacting = "mode=rw&_pragma=busy_timeout(10000)&_pragma=synchronous(FULL)&_pragma=temp_store(file)&_pragma=cache_size(-8000)"

// mostCheckpoints is the number of attempts to empty the log. Each waits for readers for some
// seconds.
const mostCheckpoints = 6

// Compact writes the whole file anew, so that it has no bytes of replaced and deleted texts,
// and empties its log. A server may be running: its writes wait meanwhile, and fail as
// unavailable after 10 seconds. begun is called with the size of the file, in bytes.
func Compact(ctx context.Context, o Options, begun func(part string, bytes int64)) (err error) {
	o.Existing = true
	s, err := Open(ctx, o) // this settles what an earlier process has left
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	info, err := os.Stat(s.file.path)
	if err != nil {
		return s.file.failure(err)
	}
	begun(s.file.path, info.Size())
	db, err := pool(s.file.path, 1, forCompacting)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	for _, p := range []parted{partedTitles, partedComments} { // this takes the parts of former texts away
		if _, err := db.ExecContext(ctx, p.statement("INSERT INTO {parts} ({parts}) VALUES ('optimize')")); err != nil {
			return s.file.failure(fmt.Errorf("the index %s cannot be written anew: %w", p.parts, err))
		}
	}
	if _, err := db.ExecContext(ctx, "VACUUM"); err != nil {
		return s.file.failure(fmt.Errorf("the file cannot be written anew: %w", err))
	}
	for range mostCheckpoints {
		var busy, frames, moved int
		if err := db.DB.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &frames, &moved); err != nil {
			return s.file.failure(fmt.Errorf("the write-ahead log cannot be emptied: %w", err))
		}
		if busy == 0 {
			return nil
		}
	}
	return s.file.failure(fmt.Errorf("the file is written anew, but a long read still needs its write-ahead log %s, which has the former bytes: run the command again", s.file.logPath()))
}
