package postgres

import (
	"context"
	"errors"
	"fmt"
	"regexp"

	"github.com/uptrace/bun"
)

// dsql finds a host of Aurora DSQL in a URL.
var dsql = regexp.MustCompile(`[./@,=]dsql(-[a-z]+)?\.[a-z0-9-]+\.on\.aws\b`)

// supported refuses URLs of unsuitable engines.
func supported(text string) error {
	if dsql.MatchString(text) {
		return errors.New("the URL leads to Aurora DSQL. It has no READ COMMITTED and no waiting locks; Aurora PostgreSQL has both")
	}
	return nil
}

// askCitus asks for the role of the server in Citus, and for distributed tables.
func (s *server) askCitus(ctx context.Context, db bun.IDB) error {
	return db.NewRaw(`SELECT
		EXISTS (SELECT FROM pg_dist_local_group WHERE groupid <> 0),
		coalesce((SELECT min(c.relname) FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
			WHERE p.partmethod <> 'n' AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())), '')`).
		Scan(ctx, &s.Worker, &s.Distributed)
}

// misbehaves fails for a server without the needed properties.
func (s server) misbehaves() error {
	if s.Cache > 1 {
		return fmt.Errorf("a sequence gives each session %d numbers at a time, so they are out of order: ALTER SEQUENCE positions CACHE 1, and problem_ids likewise; where the engine has a least cache of its own, set that to 1 before", s.Cache)
	}
	return s.distribution()
}

// distribution fails when Citus has divided the data between servers, or this is not the
// server for all of them.
func (s server) distribution() error {
	switch {
	case s.Worker:
		return errors.New("the server is a worker of Citus, with sequences of its own: name the coordinator")
	case s.Distributed != "":
		return fmt.Errorf("the table %s is distributed by Citus, so a read can see half a change: undistribute_table('%[1]s'); a schema of Citus keeps all tables of a tracker on one server", s.Distributed)
	}
	return nil
}
