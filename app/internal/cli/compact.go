package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/storage"
)

type compactCommand struct {
	config.Storage `embed:"" group:"Store (the service may be running)"`
}

// Help is shown by kong.
func (compactCommand) Help() string {
	return `Writes the store anew, so that its files have no bytes of replaced and deleted texts. After a redaction no answer and no row has the text; but the database reuses the place only by and by.

The service may be running. Its writes stop meanwhile, about as long as a copy of the data takes: the command prints the size of each part first, and the time at the end. For SQLite, reads go on. A write that waits for more than 10 seconds is answered as unavailable. There has to be room for two copies of the file: one among the temporary files, and one beside it. For PostgreSQL, reads of the table stop, too: it is VACUUM FULL, one table after the other, and new statistics. There has to be room for a copy of the largest table. The role needs the rights of the owner of the tables and of the database.

At the end, the command names what still has the texts: backups, for example.

Example:

    problems compact --store sqlite:///var/lib/problems/problems.db`
}

// Run is called by kong.
func (c *compactCommand) Run(ctx context.Context, p Process) error {
	began := p.Now()
	var whole int64
	remains, err := storage.Compact(ctx, c.Storage, func(part string, bytes int64) {
		whole += bytes
		_, _ = fmt.Fprintf(p.Stderr, "Writing %s anew: %s. Its writes stop meanwhile.\n", part, inMebibytes(bytes))
	}, p.logger())
	if err != nil {
		return fmt.Errorf("compact: %w", err)
	}
	if _, err := fmt.Fprintf(p.Stderr, "Done: %s in %v. Writes stopped for no longer. These still have texts of before:\n", inMebibytes(whole), p.Now().Sub(began).Round(100*time.Millisecond)); err != nil {
		return err
	}
	for _, what := range remains {
		if _, err := fmt.Fprintf(p.Stderr, "- %s\n", what); err != nil {
			return err
		}
	}
	return nil
}

func inMebibytes(bytes int64) string { return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20)) }
