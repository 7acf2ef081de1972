package postgrestest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Pool lends schemas or databases that were filled once, to one test after the other. To
// fill one takes a store of the service several connections and its migrations: most of
// the time of a short test.
type Pool struct {
	create  func() (name string, u *url.URL, err error)
	schemas bool // of databases otherwise
	fill    func(ctx context.Context, url string) error

	mu       sync.Mutex
	free     []*loan
	sessions *sessions // nil on a server that belongs to somebody else
}

// Schemas returns a pool of schemas on the server common to all tests of the process. It
// calls fill with the URL of each new one.
func Schemas(fill func(ctx context.Context, url string) error) *Pool {
	return &Pool{fill: fill, create: createSchema, schemas: true}
}

// Databases returns a pool of databases on that server. It calls fill with the URL of each
// new one. Its tables have to be in the schema public.
func Databases(fill func(ctx context.Context, url string) error) *Pool {
	return &Pool{fill: fill, create: createDatabase}
}

// Take returns the URL of one that no other test uses. Its tables have the rows, and its
// sequences the values, that fill left. It goes back to the pool at the end of the test,
// unless the test has changed its tables: then nobody takes it again.
//
// The connections of the URL have an application_name of their own. Those still open at
// the end of the test are ended. A pooler may change that name: its client has to end
// them.
func (p *Pool) Take(t T) string {
	t.Helper()
	sharedURL(t)
	l := p.pop()
	if l == nil {
		var err error
		if l, err = p.new(); err != nil {
			t.Fatalf("postgres for tests: %v", err)
		}
	}
	t.Cleanup(func() {
		if err := p.giveBack(l); err != nil {
			t.Errorf("postgres for tests: %s cannot be used again: %v", l.name, err)
		}
	})
	return l.url
}

func (p *Pool) pop() *loan {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) == 0 {
		return nil
	}
	l := p.free[len(p.free)-1]
	p.free = p.free[:len(p.free)-1]
	return l
}

// loan is a schema or database of a pool.
type loan struct {
	name   string // for messages, and the application_name of its connections
	url    string
	admin  *pgx.Conn // enters the schema
	design string    // a digest of the schema as fill left it
	refill string    // the statements that bring back its rows
	tables []string
}

func (p *Pool) new() (_ *loan, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	name, u, err := p.create()
	if err != nil {
		return nil, err
	}
	query := u.Query()
	query.Set("application_name", name)
	query.Set("connect_timeout", strconv.Itoa(int(commandLimit.Seconds()))) // many tests begin at once
	l := &loan{name: name}
	if p.schemas {
		query.Set("search_path", name)
	}
	u.RawQuery = query.Encode()
	direct := u.String()
	if err := p.fill(ctx, direct); err != nil {
		return nil, err
	}
	if l.url, err = p.through(u); err != nil {
		return nil, err
	}
	config, err := pgx.ParseConfig(direct)
	if err != nil {
		return nil, err
	}
	config.RuntimeParams["application_name"] = "postgres for tests"
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
	if l.admin, err = pgx.ConnectConfig(ctx, config); err != nil {
		return nil, err
	}
	return l, l.remember(ctx)
}

// through returns the URL for the tests, by way of the sessions.
func (p *Pool) through(u *url.URL) (string, error) {
	if _, theirs := shared.node.(given); theirs {
		return u.String(), nil // it may insist on TLS
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sessions == nil {
		var err error
		if p.sessions, err = newSessions(u.Host); err != nil {
			return "", err
		}
	}
	u.Host = p.sessions.Addr().String()
	return u.String(), nil
}

// design digests names and types of all tables, indexes and sequences.
const design = `SELECT md5(string_agg(concat_ws(' ', c.relname, c.relkind, a.attname, a.atttypid, a.attnotnull, i.indisvalid), '|'
	ORDER BY c.relname, a.attnum))
	FROM pg_class c LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 LEFT JOIN pg_index i ON i.indexrelid = c.oid
	WHERE c.relnamespace = current_schema()::regnamespace`

// remember records the design, rows and sequences as they are now.
func (l *loan) remember(ctx context.Context) error {
	if err := l.admin.QueryRow(ctx, design).Scan(&l.design); err != nil {
		return err
	}
	rows, err := l.admin.Query(ctx, "SELECT relname::text, relkind::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'S') ORDER BY relname")
	if err != nil {
		return err
	}
	type relation struct{ Name, Kind string }
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[relation])
	if err != nil {
		return err
	}
	var refill, values strings.Builder
	for _, r := range all {
		quoted := pgx.Identifier{r.Name}.Sanitize()
		if r.Kind == "S" {
			var last int64
			var called bool
			if err := l.admin.QueryRow(ctx, "SELECT last_value, is_called FROM "+quoted).Scan(&last, &called); err != nil {
				return err
			}
			fmt.Fprintf(&values, "SELECT setval(%s, %d, %t);\n", literal(quoted), last, called)
			continue
		}
		l.tables = append(l.tables, quoted)
		var content string
		if err := l.admin.QueryRow(ctx, "SELECT coalesce(json_agg(t), '[]')::text FROM "+quoted+" t").Scan(&content); err != nil {
			return err
		}
		if content != "[]" {
			fmt.Fprintf(&refill, "%[3]s AS (INSERT INTO %[1]s SELECT * FROM json_populate_recordset(NULL::%[1]s, %[2]s))", quoted, literal(content), part(refill.Len()))
		}
	}
	l.refill = values.String()
	if refill.Len() > 0 {
		l.refill += refill.String() + " SELECT;\n"
	}
	return nil
}

// literal quotes a text for a statement.
func literal(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// giveBack empties a loan, and puts it back, unless its design has changed.
func (p *Pool) giveBack(l *loan) error {
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	if err := l.endOthers(ctx, p.sessions); err != nil {
		return err
	}
	var now string
	if err := l.admin.QueryRow(ctx, design).Scan(&now); err != nil {
		return err
	}
	if now != l.design {
		return l.admin.Close(ctx) // nobody takes it again
	}
	if err := l.empty(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, l)
	return nil
}

// endOthers ends the connections that are left: of a killed program, one may still be at
// work.
func (l *loan) endOthers(ctx context.Context, sessions *sessions) error {
	if sessions != nil {
		sessions.detach("application_name=" + l.name)
	}
	for {
		kept := []int64{} // none, not NULL
		if sessions != nil {
			kept = sessions.pids()
		}
		var left int
		err := l.admin.QueryRow(ctx, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1 AND NOT pid = ANY ($2)", l.name, kept).Scan(&left)
		if err != nil || left == 0 {
			return err
		}
		select {
		case <-time.After(5 * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(errors.New("its connections do not end"), ctx.Err())
		}
	}
}

// empty brings back the rows and sequences. It deletes the rows of small tables: to
// truncate them would take new files for each of them and of their indexes.
func (l *loan) empty(ctx context.Context) error {
	const large = "SELECT coalesce(string_agg(quote_ident(relname), ', '), '') FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND pg_relation_size(oid) > 65536"
	var truncated string
	if err := l.admin.QueryRow(ctx, large).Scan(&truncated); err != nil {
		return err
	}
	all := "BEGIN;\nSET LOCAL lock_timeout = '10s';\nSET LOCAL client_min_messages = warning;\n" +
		"LOCK TABLE " + strings.Join(l.tables, ", ") + " IN ACCESS EXCLUSIVE MODE;\n"
	if truncated != "" {
		all += "TRUNCATE " + truncated + " CASCADE;\n"
	}
	var deletes strings.Builder
	for _, table := range l.tables {
		fmt.Fprintf(&deletes, "%s AS (DELETE FROM %s)", part(deletes.Len()), table)
	}
	_, err := l.admin.Exec(ctx, all+deletes.String()+" SELECT;\n"+l.refill+"COMMIT")
	return err
}

// part begins a part of one statement, at whose end foreign keys are checked. The order of
// the tables does not matter then.
func part(before int) string {
	if before == 0 {
		return "WITH p0"
	}
	return fmt.Sprintf(", p%d", before)
}

func createSchema() (string, *url.URL, error) {
	return create("SCHEMA", "", "CASCADE")
}

func createDatabase() (string, *url.URL, error) {
	name, u, err := create("DATABASE", " TEMPLATE template0", "WITH (FORCE)")
	if err == nil {
		u.Path = "/" + name
	}
	return name, u, err
}

// create creates a schema or a database that lives as long as the shared server, or as
// this process on a server that belongs to somebody else.
func create(kind, from, drop string) (name string, u *url.URL, err error) {
	name = "p_" + strings.ToLower(rand.Text())
	if err := tryExecute("CREATE " + kind + " " + name + from); err != nil {
		return "", nil, err
	}
	shared.Lock()
	defer shared.Unlock()
	shared.pooled = append(shared.pooled, "DROP "+kind+" "+name+" "+drop)
	u, err = url.Parse(shared.node.url())
	return name, u, err
}
