package postgres

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

func TestServerIsChecked(t *testing.T) {
	t.Parallel()
	good := server{Version: 130000, Encoding: "UTF8", Fsync: "on", FullPages: "on", Synchronous: "local", Schema: "public", List: "public"}
	for name, c := range map[string]struct {
		change func(*server)
		want   string // "": it is fine
		lossy  bool   // it can be accepted
	}{
		"as it should be":    {func(*server) {}, "", false},
		"new":                {func(s *server) { s.List = "" }, "", false},
		"another engine":     {func(s *server) { s.Fsync, s.FullPages, s.Synchronous = "", "", "" }, "", false},
		"old":                {func(s *server) { s.Version = 120022 }, "version 12.22 of PostgreSQL: version 13 or newer", false},
		"encoding":           {func(s *server) { s.Encoding = "SQL_ASCII" }, "encoding SQL_ASCII", false},
		"standby":            {func(s *server) { s.Recovering = true }, "name the primary", false},
		"no schema":          {func(s *server) { s.Schema, s.List = "", "" }, "none of the schemas", false},
		"two schemas":        {func(s *server) { s.Schema = "ann" }, "put public first", false},
		"schema to create":   {func(s *server) { s.Wanted, s.Schema, s.List = "a", "", "" }, "", false},
		"schema of the URL":  {func(s *server) { s.Wanted, s.There, s.Schema, s.List = "a", true, "a", "a" }, "", false},
		"schema without use": {func(s *server) { s.Wanted, s.There, s.Schema, s.List = "a", true, "", "" }, "the user may not use the schema a", false},
		"schema of a pooler": {func(s *server) { s.Wanted, s.There = "a", true }, "sessions begin in the schema public instead of a", false},
		"cached sequence":    {func(s *server) { s.Cache = 100 }, "gives each session 100 numbers at a time", false},
		"Citus":              {func(s *server) { s.Cache, s.Citus = 1, true }, "", false},
		"worker of Citus":    {func(s *server) { s.Citus, s.Worker = true, true }, "name the coordinator", false},
		"distributed table":  {func(s *server) { s.Citus, s.Distributed = true, "log" }, "the table log is distributed by Citus", false},
		"fsync":              {func(s *server) { s.Fsync = "off" }, "fsync is off", true},
		"full_page_writes":   {func(s *server) { s.FullPages = "off" }, "full_page_writes is off", true},
		"UNLOGGED":           {func(s *server) { s.Unlogged = "TABLE log" }, "TABLE log is unlogged, so that a crash of the server empties it: ALTER TABLE log SET LOGGED, or accept", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := good
			c.change(&s)
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, nil))
			if err := s.check(false, logger); c.want != "" {
				wants(t, err, c.want)
			} else if err != nil {
				t.Error(err)
			}
			if log.Len() > 0 {
				t.Errorf("the log has %s", &log)
			}
			if err := s.check(true, logger); (err == nil) != (c.lossy || c.want == "") {
				t.Errorf("with losses accepted: %v", err)
			}
			if warned := strings.Contains(log.String(), "level=WARN") && strings.Contains(log.String(), "setting="+name); warned != c.lossy {
				t.Errorf("the log has %q", &log)
			}
		})
	}
}

// Each write raises synchronous_commit, unless a loss of it is accepted.
func TestLossOfCommits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		synchronous string
		standbys    bool
		want        string // the loss if it is accepted; "" for none
	}{
		"off":                   {"off", false, "a crash of the server loses"},
		"local":                 {"local", false, ""},
		"local, standby":        {"local", true, "a fail-over loses"},
		"remote_write, standby": {"remote_write", true, "a fail-over loses"},
		"on, standby":           {"on", true, ""},
		"remote_apply, standby": {"remote_apply", true, ""},
		"another engine":        {"", true, ""},
	} {
		s := server{Synchronous: c.synchronous, Standbys: c.standbys}
		if got := s.losses(false); len(got) > 0 {
			t.Errorf("%s: each write raises it, but the losses are %+v", name, got)
		}
		if got := s.losses(true); len(got) > 1 || (len(got) == 1) != (c.want != "") || c.want != "" && !strings.HasPrefix(got[0].loses, c.want) {
			t.Errorf("%s, accepted: the losses are %+v, want %q", name, got, c.want)
		}
	}
}

// A table of the service without a log refuses the start, unless the loss is accepted.
func TestUnloggedTable(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	d.exec("CREATE UNLOGGED TABLE of_another_program (); ALTER TABLE log SET UNLOGGED")
	wants(t, d.prepare(Options{}), "TABLE log is unlogged")
	if err := d.prepare(Options{AcceptLoss: true}); err != nil {
		t.Error(err)
	}
	d.exec("ALTER TABLE log SET LOGGED")
	if err := d.prepare(Options{}); err != nil {
		t.Error(err)
	}
}

// Reads go on while the database is read-only, also after a restart of the
// service.
func TestReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	readOnly := Options{URL: d.url + "&default_transaction_read_only=on", AutoMigrate: true}
	wants(t, d.prepare(readOnly), "the database is read-only, and its schema has to be brought up to date first")
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	if err := d.prepare(readOnly); err != nil {
		t.Error(err)
	}
}

func TestOperatorIsToldWhy(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	d := newDatabase(t, url)
	base, query, _ := strings.Cut(url, "?")
	for name, c := range map[string]struct{ url, want string }{
		"no database": {base + "_not?" + query, "there is no such database, create it first: "},
		"no schema":   {base + "?search_path=nowhere&" + query, "none of the schemas in the search_path exists"},
		"no setting":  {base + "?no_such_setting=1&" + query, `unrecognized configuration parameter "no_such_setting"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wants(t, d.prepare(Options{URL: c.url, AutoMigrate: true}), c.want)
			_, err := Migrate(t.Context(), Options{URL: c.url})
			wants(t, err, c.want)
		})
	}
}

func TestIsolationIsChecked(t *testing.T) {
	t.Parallel()
	if err := (server{Isolation: "read committed"}).checkIsolation(); err != nil {
		t.Error(err)
	}
	if err := (server{Isolation: "serializable"}).checkIsolation(); err == nil || !strings.Contains(err.Error(), "set it to 'read committed'") {
		t.Errorf("got %v; want a sentence about the isolation", err)
	}
}
