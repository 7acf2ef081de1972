package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// The notices are those of PostgreSQL 15: the texts depend on the language, the routines do not.
func TestNotices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		writing bool
		notice  pgconn.Notice
		warned  bool
	}{
		{"somebody has cancelled the wait for a standby", true, pgconn.Notice{
			Severity: "WARNUNG", SeverityUnlocalized: "WARNING", Code: "01000", File: "syncrep.c", Routine: "SyncRepWaitForLSN",
		}, true},
		{"a pooler leaves out all but the severity", true, pgconn.Notice{Severity: "WARNING"}, true},
		{"outside of a write", false, pgconn.Notice{SeverityUnlocalized: "WARNING", Routine: "SyncRepWaitForLSN"}, false},
		{"a mere notice", true, pgconn.Notice{SeverityUnlocalized: "NOTICE", Routine: "DefineRelation"}, false},
		{"the database needs a vacuum", true, pgconn.Notice{
			Severity: "WARNING", SeverityUnlocalized: "WARNING", Code: "01000", File: "varsup.c", Routine: "GetNewTransactionId",
			Message: `database "problems" must be vacuumed within 27484382 transactions`,
		}, false},
		{"it has many locks shared by transactions", true, pgconn.Notice{
			Severity: "WARNING", SeverityUnlocalized: "WARNING", Code: "01000", File: "multixact.c", Routine: "GetNewMultiXactId",
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var heard connection
			heard.writing.Store(c.writing)
			heard.notice(&c.notice)
			if got := heard.warned.Load(); got != c.warned {
				t.Errorf("warned is %t, not %t", got, c.warned)
			}
		})
	}
}
