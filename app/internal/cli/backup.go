package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"github.com/problemtracking/problems/app/internal/backups"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/app/internal/transfer"
)

type backupCommand struct {
	config.Storage `embed:"" group:"Store (the service may be running)"`

	To              string `placeholder:"FILE" help:"The new file. Only you can read it. It must not exist yet."`
	BackupDirectory string `group:"Directory" placeholder:"DIR" help:"Directory of copies, named by their time in UTC, in place of --to. Older copies are thinned out first."`
}

// AfterApply is called by kong once all flags are set.
func (c *backupCommand) AfterApply(command *kong.Context, f *config.Faults) error {
	if c.To == "" && c.BackupDirectory == "" {
		return f.Add(errors.New("name a new file with --to, or a directory with --backup-directory"))
	}
	// A variable may name the directory of every backup: --to is then for one copy beside them.
	byFlag := slices.ContainsFunc(command.Path, func(p *kong.Path) bool { return p.Flag != nil && !p.Resolved && p.Flag.Name == "backup-directory" })
	if c.To != "" && byFlag {
		return f.Add(errors.New("--to and --backup-directory name two places for one copy: give one of them"))
	}
	return nil
}

// Help is shown by kong.
func (backupCommand) Help() string {
	return `Writes a copy of a SQLite store at one moment, with all acknowledged writes from before. The service goes on meanwhile. The copy appears only when it is complete and on the disk. It is itself a store. To restore it, stop the service. Move the file of the store away, with the files beside it ending in -wal and -shm. Put a copy of the backup in its place.

Do not copy the file of a running service by other means: the last writes are in a second file.

With --backup-directory, the copy gets its time as its name. Before it, the command removes what killed backups left there, and thins out: the last twelve copies stay, those of the last hour, and the first of each hour of a day, each day of a week and each week of four. A disk without room for the copy is an error. Beside the store, as much stays free as the store has, and 64 MiB for its log.

For PostgreSQL, use pg_dump or pg_basebackup.

Examples:

    problems backup --to problems-backup.db
    problems backup --store sqlite:///var/lib/problems/problems.db --to /mnt/backup/problems.db
    problems backup --store sqlite:///var/lib/problems/problems.db --backup-directory /mnt/backup`
}

// Run is called by kong.
func (c *backupCommand) Run(ctx context.Context, p Process) error {
	write := c.write
	if c.To == "" {
		write = c.writeNext
	}
	problems, err := write(ctx, p)
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	_, err = fmt.Fprintf(p.Stderr, "Backed up %d problems from %s to %s.\n", problems, cmp.Or(c.Store.Path(), c.Store.String()), c.To)
	return err
}

// writeNext writes the next copy of a directory, and names it in c.To.
func (c *backupCommand) writeNext(ctx context.Context, p Process) (problems int, err error) {
	if !c.Store.HasBackup() {
		return c.write(ctx, p)
	}
	directory, err := backups.Open(c.BackupDirectory)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, directory.Close()) }()
	now := p.Now()
	if _, err := directory.Tidy(now); err != nil {
		return 0, err
	}
	if err := directory.Room(c.Store.Path()); err != nil {
		return 0, err
	}
	c.To = directory.Next(now)
	return c.write(ctx, p)
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
