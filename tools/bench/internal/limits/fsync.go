package limits

import (
	"errors"
	"os"
	"time"
)

const (
	syncedWrite = 4 << 10  // one page
	syncedFile  = 16 << 20 // as large as a segment of PostgreSQL's log
)

// Fsyncs returns how many writes of 4 KiB the disk of a directory makes durable per
// second, one after the other, each with a synchronisation of its own. As in
// pg_test_fsync, and in a database's log, they overwrite existing data: the file does not
// grow, so only data has to be written.
func Fsyncs(dir string, duration time.Duration) (perSecond float64, err error) {
	file, err := os.CreateTemp(dir, "problems-fsync-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, file.Close(), os.Remove(file.Name())) }()
	if _, err := file.Write(make([]byte, syncedFile)); err != nil {
		return 0, err
	}
	if err := file.Sync(); err != nil {
		return 0, err
	}
	page := make([]byte, syncedWrite)
	began, n := time.Now(), 0
	for time.Since(began) < duration || n == 0 {
		page[0] = byte(n/(syncedFile/syncedWrite) + 1) // no longer the old data
		if _, err := file.WriteAt(page, int64(n)*syncedWrite%syncedFile); err != nil {
			return 0, err
		}
		if err := syncData(file); err != nil {
			return 0, err
		}
		n++
	}
	return float64(n) / time.Since(began).Seconds(), nil
}
