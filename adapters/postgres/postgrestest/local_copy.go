package postgrestest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
)

// onCopy prepares a server on a copy of the data of n, which it takes for itself.
func (n *localNode) onCopy(data string) (*localNode, error) {
	dir, err := os.MkdirTemp("", localPrefix+thisProcess()+"-")
	if err != nil {
		return nil, err
	}
	c := &localNode{local: n.local, dir: dir, password: n.password, settings: []string{"shared_buffers=64MB"}}
	if err = os.Rename(data, c.data()); err == nil {
		err = c.ownAll()
	}
	if err == nil {
		c.port, err = ports.Free()
	}
	if err != nil {
		_ = os.RemoveAll(dir) // the error before is the one to read
		return nil, err
	}
	return c, nil
}

// ownAll gives all files to the server's user.
func (n *localNode) ownAll() error {
	return filepath.WalkDir(n.dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return n.own(path)
	})
}

// takesWrites returns when the server has ended its recovery.
func (n *localNode) takesWrites(ctx context.Context) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		recovering, err := count(ctx, n, "SELECT pg_is_in_recovery()::int")
		if err != nil || recovering == 0 {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the recovery does not end: %w", ctx.Err())
		case <-tick.C:
		}
	}
}
