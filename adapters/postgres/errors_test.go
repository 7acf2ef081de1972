package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// answered returns an error as the server answers with it.
func answered(code string) *pgconn.PgError {
	return &pgconn.PgError{Severity: "FEHLER", SeverityUnlocalized: "ERROR", Code: code, Message: "…"}
}

func TestAnswersOfTheServer(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]fault.Kind{
		"08006": fault.Unavailable, "08P01": fault.Unavailable,
		"22012": fault.Conflict,
		"22P02": fault.Internal,
		"23503": fault.Internal, "23505": fault.Internal, "23514": fault.Internal,
		"25006": fault.Unavailable, "25P02": fault.Internal, "25P03": fault.Unavailable, "25P04": fault.Unavailable,
		"26000": fault.Internal,
		"3F000": fault.Internal,
		"40001": fault.Unavailable, "40P01": fault.Unavailable,
		"42601": fault.Internal, "42P01": fault.Internal, "42P05": fault.Internal, "42703": fault.Internal,
		"53100": fault.Unavailable, "53200": fault.Unavailable, "53300": fault.Unavailable,
		"55P03": fault.Unavailable, "55000": fault.Internal,
		"57014": fault.Unavailable, "57P01": fault.Unavailable, "57P02": fault.Unavailable, "57P03": fault.Unavailable, "57P05": fault.Unavailable,
		"58030": fault.Unavailable,
		"XX000": fault.Internal, "XX001": fault.Internal,
		"": fault.Internal,
	} {
		if got := fault.KindOf(classify(fmt.Errorf("batch: %w", answered(code)))); got != want {
			t.Errorf("%q is %s; want %s", code, got, want)
		}
	}
}

func TestBusyIsNotAway(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]bool{
		"40001": true, "40P01": true, "53300": true, "55P03": true, "57014": true,
		"08006": false, "25006": false, "53100": false, "57P01": false, "57P03": false,
	} {
		cause := answered(code)
		err := classify(cause)
		if got := errors.Is(err, store.ErrBusy); got != want {
			t.Errorf("%s is busy: %t, want %t", code, got, want)
		}
		if !errors.Is(err, cause) || strings.Contains(err.Error(), store.ErrBusy.Error()) {
			t.Errorf("%s is logged as %v", code, err)
		}
	}
}

func TestUniqueViolation(t *testing.T) {
	t.Parallel()
	for constraint, want := range map[string]fault.Kind{
		"keywords_pkey": fault.Conflict, "batches_pkey": fault.Conflict, "tokens_id_key": fault.Conflict,
		"log_pkey": fault.Internal, "versions_pkey": fault.Internal, "theirs_pkey": fault.Internal, "": fault.Internal,
	} {
		answer := answered("23505")
		answer.ConstraintName = constraint
		if got := fault.KindOf(classify(answer)); got != want {
			t.Errorf("a second one for %q is %s; want %s", constraint, got, want)
		}
	}
}

// safe is an error of which the driver says, wrongly, that nothing was sent.
type safe struct{ error }

func (safe) SafeToRetry() bool { return true }
func (s safe) Unwrap() error   { return s.error }

// offline returns the error of a database that nobody listens for.
func offline(t *testing.T) error {
	t.Helper()
	_, err := pgx.Connect(t.Context(), "postgres://annette:hunter2@127.0.0.1:1/x?sslmode=disable&password=hunter2")
	if err == nil {
		t.Fatal("something answers at port 1")
	}
	return err
}

func TestClassifyCommit(t *testing.T) {
	t.Parallel()
	with := func(severity, unlocalized, code string) error {
		return &pgconn.PgError{Severity: severity, SeverityUnlocalized: unlocalized, Code: code}
	}
	for _, c := range []struct {
		name          string
		err           error
		read, written fault.Kind
	}{
		{"refused", with("ERROR", "ERROR", "40001"), fault.Unavailable, fault.Unavailable},
		{"refused in another language", with("FEHLER", "ERROR", "22012"), fault.Conflict, fault.Conflict},
		{"refused by an old server", with("ERROR", "", "25006"), fault.Unavailable, fault.Unavailable},
		{"refused without knowing the language", with("FEHLER", "", "22012"), fault.Conflict, fault.UnknownOutcome},
		{"a defect", with("ERROR", "ERROR", "42601"), fault.Internal, fault.Internal},
		{"too slow", with("ERROR", "ERROR", "57014"), fault.Unavailable, fault.Unavailable},
		{"terminated", with("FATAL", "FATAL", "57P01"), fault.Unavailable, fault.UnknownOutcome},
		{"crashed", with("PANIC", "PANIC", "XX000"), fault.Internal, fault.UnknownOutcome},
		{"a pooler lost its server", with("ERROR", "ERROR", "08P01"), fault.Unavailable, fault.UnknownOutcome},
		{"a pooler ends", with("ERROR", "", "57P01"), fault.Unavailable, fault.UnknownOutcome},
		{"never reached", offline(t), fault.Unavailable, fault.Unavailable},
		{"end of the connection", fmt.Errorf("read: %w", io.ErrUnexpectedEOF), fault.Unavailable, fault.UnknownOutcome},
		{"cut", &net.OpError{Op: "write", Err: syscall.EPIPE}, fault.Unavailable, fault.UnknownOutcome},
		{"cut, and said to be safe", safe{&net.OpError{Op: "write", Err: syscall.ECONNRESET}}, fault.Unavailable, fault.UnknownOutcome},
		{"closed", pgconn.ErrConnClosed, fault.Unavailable, fault.UnknownOutcome},
		{"no answer", context.DeadlineExceeded, fault.Unavailable, fault.UnknownOutcome},
		{"cancelled", context.Canceled, fault.Unavailable, fault.UnknownOutcome},
		{"anything", errors.New("anything"), fault.Internal, fault.UnknownOutcome},
		{"a fault", fault.New(fault.Unsupported, "…"), fault.Unsupported, fault.Unsupported},
	} {
		if got := fault.KindOf(classify(c.err)); got != c.read {
			t.Errorf("%s: %s for a read; want %s", c.name, got, c.read)
		}
		if got := fault.KindOf(classifyCommit(c.err)); got != c.written {
			t.Errorf("%s: %s for a write; want %s", c.name, got, c.written)
		}
	}
	if classify(nil) != nil || classifyCommit(nil) != nil {
		t.Error("no error is a fault")
	}
}

func TestRetryable(t *testing.T) {
	t.Parallel()
	fatal := answered("40001")
	fatal.SeverityUnlocalized = "FATAL"
	for _, c := range []struct {
		err  error
		want bool
	}{
		{answered("40001"), true},
		{fmt.Errorf("batch: %w", answered("40P01")), true},
		{classify(answered("40P01")), true},
		{fatal, false},
		{answered("22012"), false},
		{answered("25006"), false},
		{io.EOF, false},
		{nil, false},
	} {
		if got := retryable(c.err); got != c.want {
			t.Errorf("%v can be retried: %t; want %t", c.err, got, c.want)
		}
	}
}

// Open fails with fault.Unavailable when waiting mends what is wrong, and with nothing
// of that kind when it does not.
func TestWaitingMends(t *testing.T) {
	t.Parallel()
	_, unresolved := pgx.Connect(t.Context(), "postgres://ann@nowhere.invalid/x")
	_, unreadable := pgx.Connect(t.Context(), "postgres://ann@127.0.0.1/x?sslmode=verify-full&sslrootcert=/nowhere.pem")
	s := server{Version: oldest, Encoding: "UTF8", Schema: "public", List: "public", Recovering: true}
	standby := s.check(false, nil)
	s.Recovering, s.Encoding = false, "LATIN1"
	pooler := func(message string) error { return &pgconn.PgError{Severity: "FATAL", Code: "08P01", Message: message} }
	for _, c := range []struct {
		name  string
		err   error
		mends bool
	}{
		{"refused connection", offline(t), true},
		{"name that does not resolve", unresolved, true},
		{"time-out", fmt.Errorf("connect: %w", context.DeadlineExceeded), true},
		{"connection that ends", io.ErrUnexpectedEOF, true},
		{"connection that is cut", &net.OpError{Op: "read", Err: syscall.ECONNRESET}, true},
		{"starting up", answered("57P03"), true},
		{"shutting down", answered("57P01"), true},
		{"too many connections", answered("53300"), true},
		{"full disk", answered("53100"), true},
		{"read-only", answered("25006"), true},
		{"standby, by its own word", standby, true},
		{"standby, by the driver", errors.Join(pgconn.ErrStandbyConnection), true},
		{"read-only, by the driver", pgconn.ErrReadOnlyConnection, true},
		{"lock of another migration", fmt.Errorf("migrate: %w", passing("process %d", 1)), true},
		{"one host is away, the other starts", errors.Join(offline(t), answered("57P03")), true},
		{"one host is away, the other refuses the password", errors.Join(offline(t), answered("28P01")), false},
		{"one host starts, the other refuses the password", errors.Join(answered("57P03"), answered("28P01")), false},
		{"wrong password", answered("28P01"), false},
		{"not in pg_hba.conf", answered("28000"), false},
		{"no such database", answered("3D000"), false},
		{"no such schema", answered("3F000"), false},
		{"not allowed", answered("42501"), false},
		{"table of another program", answered("42P07"), false},
		{"table in use", answered("55P03"), false},
		{"cancelled by somebody", answered("57014"), false},
		{"pooler", answered("26000"), false},
		{"pooler, by a setting", pooler("unsupported startup parameter: statement_timeout"), false},
		{"pooler, by an option", pooler("unsupported startup parameter in options: search_path"), false},
		{"pooler without the database", pooler("no such database: x"), false},
		{"pooler without the user", pooler("no such user: ann"), false},
		{"pooler with TLS", pooler("SSL required"), false},
		{"pooler without its server", pooler("server login has been failing, try again later (server_login_retry)"), true},
		{"pooler that is full", pooler("no more connections allowed (max_client_conn)"), true},
		{"pooler that waits", pooler("query_wait_timeout"), true},
		{"error without a code", answered(""), false},
		{"encoding", s.check(false, nil), false},
		{"alert of TLS", &net.OpError{Op: "remote error", Err: errors.New("tls: bad certificate")}, false},
		{"unreadable certificate", unreadable, false},
		{"anything", errors.New("anything"), false},
	} {
		err := Options{URL: "postgres://ann:hunter2@db/x"}.failure(c.err)
		if got := fault.Is(err, fault.Unavailable); got != c.mends {
			t.Errorf("%s: waiting mends it: %t, want %t: %v", c.name, got, c.mends, err)
		}
		if strings.Contains(err.Error(), "unavailable:") || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: the operator reads %v", c.name, err)
		}
	}
}

// What a client is told names neither the database nor its password; what is
// logged has no password.
func TestErrorsKeepSecrets(t *testing.T) {
	t.Parallel()
	err := classify(offline(t))
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || strings.Contains(f.Detail, "127.0.0.1") || strings.Contains(f.Detail, "annette") {
		t.Errorf("the detail is %q", f.Detail)
	}
	if text := err.Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, "127.0.0.1") {
		t.Errorf("the log has %q; want the address, and no password", text)
	}
	for name, use := range map[string]func(Options) error{
		"Migrate": func(o Options) error { _, err := Migrate(t.Context(), o); return err },
		"Status":  func(o Options) error { _, err := Status(t.Context(), o); return err },
		"Plan":    func(o Options) error { _, err := Plan(t.Context(), o); return err },
	} {
		err := use(Options{URL: "postgres://ann:hunter2@127.0.0.1:1/x?sslmode=prefer", Password: "hunter2", Timeout: time.Second})
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "\n") ||
			!strings.Contains(err.Error(), "postgres://ann:xxxxx@127.0.0.1:1/x?sslmode=prefer: the database cannot be reached: ") {
			t.Errorf("%s: %v; want one line with the masked URL", name, err)
		}
	}
}
