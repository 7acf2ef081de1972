package postgres

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

const (
	// chunk is the size of a part of a file in its table, in bytes. An upload or a download
	// holds one in memory, and no connection between two.
	chunk = 256 << 10
	// listed is how many files are listed at once.
	listed = 1000
	// diskFull is the SQLSTATE of a disk without room.
	diskFull = "53100"
)

// fileStore is a blob.Store in tables beside those of the Store.
type fileStore struct{ s *Store }

// Files returns the store of the files of attachments, in the same schema: one backup of the
// database has all. It ends with the Store.
func (s *Store) Files() blob.Store { return fileStore{s} }

// do calls fn with a connection, for one statement or so.
func (f fileStore) do(ctx context.Context, fn func(context.Context, *pgxpool.Conn) error) error {
	leave, err := f.s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	conn, err := f.s.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	limited, cancel := context.WithTimeout(ctx, f.s.options.bound())
	defer cancel()
	err = fn(limited, conn)
	if answer, ok := errors.AsType[*pgconn.PgError](err); ok && answer.Code == diskFull {
		return fault.Wrap(fault.StorageFull, err, "the disk of the database is full; nothing was stored")
	}
	return interrupted(ctx, classify(err))
}

// exec runs a statement whose effect lasts, and returns how many rows it has changed.
func (f fileStore) exec(ctx context.Context, sql string, args ...any) (rows int64, err error) {
	err = f.do(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		batch := f.s.promising()
		batch.Queue(sql, args...).Exec(func(tag pgconn.CommandTag) error {
			rows = tag.RowsAffected()
			return nil
		})
		return conn.SendBatch(ctx, batch).Close()
	})
	return rows, err
}

// Put implements blob.Store. Each chunk is a transaction of its own, so a slow sender holds no
// connection. The last statement shows the file.
func (f fileStore) Put(ctx context.Context, key blob.Key, r io.Reader) (err error) {
	name := key.String()
	if _, err := f.exec(ctx, "DELETE FROM files WHERE size IS NULL AND stored < (extract(epoch FROM clock_timestamp() - interval '1 day') * 1000000)::bigint"); err != nil {
		return err // uploads that a crash has ended
	}
	if rows, err := f.exec(ctx, "INSERT INTO files (key) VALUES ($1) ON CONFLICT DO NOTHING", name); err != nil || rows == 0 {
		return orTaken(err, key)
	}
	defer func() {
		if err != nil {
			_, _ = f.exec(context.WithoutCancel(ctx), "DELETE FROM files WHERE key = $1 AND size IS NULL", name) // a later Put tries again
		}
	}()
	buf := make([]byte, chunk)
	var size int64
	for number := 0; ; number++ {
		n, ended := fill(r, buf)
		if ended != nil && ended != io.EOF {
			return ended
		}
		if n > 0 {
			if _, err := f.exec(ctx, "INSERT INTO file_chunks (key, number, data) VALUES ($1, $2, $3)", name, number, buf[:n]); err != nil {
				return err
			}
			size += int64(n)
		}
		if ended != nil {
			break
		}
	}
	rows, err := f.exec(ctx, "UPDATE files SET size = $2 WHERE key = $1 AND size IS NULL", name, size)
	if err == nil && rows == 0 {
		err = fault.New(fault.Unavailable, "the upload took too long; nothing was stored")
	}
	return err
}

func orTaken(err error, key blob.Key) error {
	if err == nil {
		err = fault.New(fault.Conflict, "there is a file %s already", key)
	}
	return err
}

// fill reads until the buffer is full, or r has ended.
func fill(r io.Reader, buf []byte) (n int, err error) {
	for n < len(buf) && err == nil {
		var m int
		m, err = r.Read(buf[n:])
		n += m
	}
	return n, err
}

// Open implements blob.Store.
func (f fileStore) Open(ctx context.Context, key blob.Key, from, n int64) (io.ReadCloser, error) {
	size := int64(-1)
	err := f.do(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		err := conn.QueryRow(ctx, "SELECT size FROM files WHERE key = $1 AND size IS NOT NULL", key.String()).Scan(&size)
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.AttachmentNotFound, "there is no file %s", key)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	from = min(max(from, 0), size)
	left := size - from
	if n >= 0 {
		left = min(left, n)
	}
	return &reading{f: f, ctx: ctx, key: key.String(), at: from, left: left}, nil
}

// reading is a part of a file.
type reading struct {
	f        fileStore
	ctx      context.Context
	key      string
	at, left int64
	ready    []byte // bytes of the file from at on
}

func (r *reading) Read(p []byte) (int, error) {
	if r.left == 0 {
		return 0, io.EOF
	}
	if len(r.ready) == 0 {
		if err := r.f.do(r.ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
			return conn.QueryRow(ctx, "SELECT data FROM file_chunks WHERE key = $1 AND number = $2", r.key, r.at/chunk).Scan(&r.ready)
		}); err != nil {
			return 0, err
		}
		r.ready = r.ready[min(r.at%chunk, int64(len(r.ready))):]
		if len(r.ready) == 0 {
			return 0, io.ErrUnexpectedEOF
		}
	}
	n := copy(p, r.ready[:min(int64(len(r.ready)), r.left)])
	r.ready, r.at, r.left = r.ready[n:], r.at+int64(n), r.left-int64(n)
	return n, nil
}

// Close implements io.Closer.
func (r *reading) Close() error { return nil }

// Delete implements blob.Store.
func (f fileStore) Delete(ctx context.Context, key blob.Key) error {
	_, err := f.exec(ctx, "DELETE FROM files WHERE key = $1", key.String())
	return err
}

// List implements blob.Store.
func (f fileStore) List(ctx context.Context, after blob.Key) iter.Seq2[blob.Info, error] {
	return func(yield func(blob.Info, error) bool) {
		last := ""
		if after != (blob.Key{}) {
			last = after.String()
		}
		for {
			page, err := f.page(ctx, last)
			if err != nil {
				yield(blob.Info{}, err)
				return
			}
			for _, info := range page {
				if !yield(info, nil) {
					return
				}
				last = info.String()
			}
			if len(page) < listed {
				return
			}
		}
	}
}

func (f fileStore) page(ctx context.Context, after string) (page []blob.Info, err error) {
	err = f.do(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		rows, err := conn.Query(ctx, "SELECT key, size, stored FROM files WHERE size IS NOT NULL AND key > $1 ORDER BY key LIMIT $2", after, listed)
		if err != nil {
			return err
		}
		page, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (info blob.Info, err error) {
			var name string
			var stored int64
			if err := row.Scan(&name, &info.Size, &stored); err != nil {
				return info, err
			}
			info.Stored = time.UnixMicro(stored)
			var ok bool
			if info.Key, ok = blob.ParseKey(name); !ok {
				return info, fault.New(fault.Internal, "the table files has a key that names no attachment")
			}
			return info, nil
		})
		return err
	})
	return page, err
}

// Owner implements blob.Store.
func (f fileStore) Owner(ctx context.Context) (owner ident.ID, err error) {
	err = f.do(ctx, func(ctx context.Context, conn *pgxpool.Conn) error {
		var text string
		err := conn.QueryRow(ctx, "SELECT owner::text FROM file_owner").Scan(&text)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err == nil {
			owner, err = ident.Parse(text)
		}
		return err
	})
	return owner, err
}

// Own implements blob.Store.
func (f fileStore) Own(ctx context.Context, owner ident.ID) error {
	_, err := f.exec(ctx, "INSERT INTO file_owner (owner) VALUES ($1) ON CONFLICT (id) DO UPDATE SET owner = excluded.owner", owner.String())
	return err
}

// Close implements blob.Store. The connections are the Store's.
func (fileStore) Close() error { return nil }
