package postgres

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

func TestPoolConfig(t *testing.T) {
	t.Parallel()
	t.Run("defaults", func(t *testing.T) {
		t.Parallel()
		c, err := Options{URL: "postgres://ann:one@db/x?search_path=here&pool_max_conns=3"}.poolConfig()
		if err != nil {
			t.Fatal(err)
		}
		if c.MaxConns != 16 || c.MinIdleConns != 1 || c.ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement || c.ConnConfig.StatementCacheCapacity == 0 {
			t.Errorf("%d connections, %d spare, mode %v, %d statements", c.MaxConns, c.MinIdleConns, c.ConnConfig.DefaultQueryExecMode, c.ConnConfig.StatementCacheCapacity)
		}
		if c.ConnConfig.ConnectTimeout != 5*time.Second || c.ConnConfig.Password != "one" {
			t.Errorf("time limit %s, password %q", c.ConnConfig.ConnectTimeout, c.ConnConfig.Password)
		}
		for name, want := range map[string]string{"statement_timeout": "10000", "application_name": "problems", "search_path": "here"} {
			if got := c.ConnConfig.RuntimeParams[name]; got != want {
				t.Errorf("%s is %q; want %q", name, got, want)
			}
		}
	})
	t.Run("options", func(t *testing.T) {
		t.Parallel()
		c, err := Options{
			URL:         "postgresql://ann:one@db/x?application_name=mine&connect_timeout=1&statement_timeout=7",
			Password:    "two",
			Connections: 1,
			Timeout:     1500 * time.Millisecond,
		}.poolConfig()
		if err != nil {
			t.Fatal(err)
		}
		if c.MaxConns != 1 || c.MinIdleConns != 1 || c.ConnConfig.ConnectTimeout != time.Second || c.ConnConfig.Password != "two" {
			t.Errorf("%d connections, time limit %s, password %q", c.MaxConns, c.ConnConfig.ConnectTimeout, c.ConnConfig.Password)
		}
		for name, want := range map[string]string{"statement_timeout": "7", "application_name": "mine"} {
			if got := c.ConnConfig.RuntimeParams[name]; got != want {
				t.Errorf("%s is %q; want %q", name, got, want)
			}
		}
	})
	t.Run("pooler", func(t *testing.T) {
		t.Parallel()
		c, err := Options{URL: "postgres://db/x", Pooler: true}.poolConfig()
		if err != nil {
			t.Fatal(err)
		}
		if c.ConnConfig.DefaultQueryExecMode != pgx.QueryExecModeExec || c.ConnConfig.StatementCacheCapacity != 0 {
			t.Errorf("mode %v, %d statements", c.ConnConfig.DefaultQueryExecMode, c.ConnConfig.StatementCacheCapacity)
		}
		if got := c.ConnConfig.RuntimeParams; len(got) != 1 || got["application_name"] != "problems" {
			t.Errorf("the parameters are %v", got)
		}
	})
}

// The wait for a connection follows the time of a statement, unless it is given.
func TestWaitForAConnection(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ timeout, given, want time.Duration }{
		{0, 0, 2 * time.Second}, {time.Second, 0, 2 * time.Second}, {time.Minute, 0, 12 * time.Second}, {time.Minute, time.Second, time.Second},
	} {
		o, err := Options{URL: "postgres://db/x", Timeout: test.timeout, AcquireTimeout: test.given}.complete()
		if err != nil || o.AcquireTimeout != test.want {
			t.Errorf("with %s for a statement and %s given, the wait is %s, %v; want %s", test.timeout, test.given, o.AcquireTimeout, err, test.want)
		}
	}
}

func TestOptionsAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		o    Options
		want string
	}{
		"no URL":        {Options{}, "looks like postgres://"},
		"keywords":      {Options{URL: "host=db password=hunter2"}, "looks like postgres://"},
		"direct":        {Options{URL: "postgres://db", Direct: "hunter2"}, "the direct URL: "},
		"connections":   {Options{URL: "postgres://db", Connections: -1}, "at least 1"},
		"time":          {Options{URL: "postgres://db", Timeout: -1}, "cannot be negative"},
		"TLS":           {Options{URL: "postgres://ann:hunter2@db/x?sslmode=maybe"}, "sslmode is invalid"},
		"certificate":   {Options{URL: "postgres://ann:hunter2@db/x?sslmode=verify-full&sslrootcert=/nowhere.pem"}, "unable to read CA file"},
		"ports":         {Options{URL: "postgres://ann:hunter2@a:1,b:2,c/x?port=1,2"}, "parameter"},
		"time of a URL": {Options{URL: "postgres://ann:hunter2@a/x?connect_timeout=soon&password=hunter2"}, "postgres: the URL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.o.poolConfig()
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got %v; want %q, and no password", err, c.want)
			}
		})
	}
}
