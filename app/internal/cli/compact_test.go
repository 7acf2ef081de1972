package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// The files of a store have the bytes of a redacted text, and of an erased name and address,
// until they are compacted, beside the running service (D45, D46).
func TestCompact(t *testing.T) {
	t.Parallel()
	const secret = "correct.horse.battery"
	file := sqliteURL(t)
	server := postgrestest.New(t)
	for name, store := range map[string]struct {
		url     string
		has     func() bool // the bytes
		remains string
	}{
		"sqlite": {file, func() bool {
			all, err := filepath.Glob(path(file) + "*")
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range all {
				content, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if bytes.Contains(content, []byte(secret)) {
					return true
				}
			}
			return false
		}, "- replicas of Litestream\n"},
		"postgres": {server.URL(), func() bool {
			server.Ask("CHECKPOINT")
			return server.Ask(`SELECT bool_or(position('`+secret+`'::bytea IN pg_read_binary_file(folder || '/' || name)) > 0)::text
				FROM pg_database, LATERAL (SELECT 'base/' || oid AS folder) AS f, LATERAL pg_ls_dir(folder) AS name WHERE datname = current_database()`) == "true"
		}, "- the write-ahead logs of standbys\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, nil, "--store="+store.url)
			token := s.token(t)
			s.post(t, token, "The password is "+secret)
			s.send(t, token, "/problems/1/comments", map[string]string{"text": "Once more: " + secret})
			s.send(t, token, "/problems/1/redactions", map[string]string{"text": secret})
			ann := "Ann " + secret
			s.send(t, token, "/users", map[string]string{"name": ann, "email": secret + "@example.org"})
			s.send(t, token, "/problems", map[string]any{"title": "Ask her", "assignee": map[string]string{"name": ann}})
			if erased := must(t, nil, "user", "erase", "--yes", "--store="+store.url, secret+"@example.org"); !strings.Contains(erased, "of the logs of 1 problems") {
				t.Errorf("the erasure says:\n%s", erased)
			}
			if archive := must(t, nil, "export", "--store="+store.url); strings.Contains(archive, secret) {
				t.Errorf("the archive has the text:\n%s", archive)
			}
			if !store.has() {
				t.Error("the files do not have the bytes before")
			}
			r := call(t, nil, "compact", "--store="+store.url)
			if r.code != 0 || !strings.Contains(r.stderr, "Its writes stop meanwhile.\n") || !strings.Contains(r.stderr, store.remains) {
				t.Errorf("exit code %d\n%s", r.code, r.stderr)
			}
			if store.has() {
				t.Error("the files have the bytes afterwards")
			}
			if name == "postgres" {
				compactsAll(t, server, r.stderr)
			}
			s.post(t, token, "The service goes on")
		})
	}
}

// compactsAll demands each table with texts in what the command says.
func compactsAll(t *testing.T, server *postgrestest.Server, said string) {
	t.Helper()
	const without = " files file_owner relationships problems_migrations problems_migration_locks " // texts of people
	for table := range strings.FieldsSeq(server.Ask(`SELECT string_agg(DISTINCT table_name::text, ' ') FROM information_schema.columns
		WHERE table_schema = 'public' AND data_type IN ('text', 'bytea', 'jsonb', 'character varying')`)) {
		if !strings.Contains(said, "Writing "+table+" ") && !strings.Contains(without, " "+table+" ") {
			t.Errorf("the table %s is not written anew", table)
		}
	}
}
