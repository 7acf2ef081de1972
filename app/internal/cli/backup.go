package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/app/internal/transfer"
)

type backupCommand struct {
	config.Storage `embed:"" group:"Store (the service may be running)"`

	To string `required:"" placeholder:"FILE" help:"The new file. Only you can read it. It must not exist yet."`
}

// Help is shown by kong.
func (backupCommand) Help() string {
	return `Writes a copy of a SQLite store at one moment, with all acknowledged writes from before. The service goes on meanwhile. The copy appears only when it is complete and on the disk. It is itself a store. To restore it, stop the service. Move the file of the store away, with the files beside it ending in -wal and -shm. Put a copy of the backup in its place.

Do not copy the file of a running service by other means: the last writes are in a second file.

For PostgreSQL, use pg_dump or pg_basebackup.

Examples:

    problems backup --to problems-backup.db
    problems backup --store sqlite:///var/lib/problems/problems.db --to /mnt/backup/problems.db`
}

// Run is called by kong.
func (c *backupCommand) Run(ctx context.Context, p Process) error {
	problems, err := c.write(ctx, p)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	_, err = fmt.Fprintf(p.Stderr, "Backed up %d problems from %s to %s.\n", problems, cmp.Or(c.Store.Path(), c.Store.String()), c.To)
	return err
}

func (c *backupCommand) write(ctx context.Context, p Process) (problems int, err error) {
	if !c.Store.HasBackup() { // then no file is made
		return storage.Backup(ctx, c.Storage, c.To, p.logger())
	}
	if c.To == stream {
		return 0, errors.New("a backup is a file: name one with --to; \"problems export\" writes to standard output")
	}
	if _, err := os.Lstat(c.To); err == nil {
		return 0, fmt.Errorf("%s %w", c.To, transfer.ErrTaken)
	}
	file, err := transfer.CreateFile(c.To, false)
	if err != nil {
		return 0, err
	}
	if problems, err = storage.Backup(ctx, c.Storage, file.Name(), p.logger()); err != nil {
		return 0, errors.Join(err, file.Discard())
	}
	return problems, file.Keep()
}
