package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// The SQLSTATEs with a meaning of their own beside their class (PostgreSQL, appendix A).
const (
	notSupported        = "0A000"
	divisionByZero      = "22012"
	uniqueViolation     = "23505"
	readOnlyTransaction = "25006"
	idleTransaction     = "25P03"
	longTransaction     = "25P04"
	noSuchStatement     = "26000"
	wrongPassword       = "28P01"
	noSuchDatabase      = "3D000"
	noSuchSchema        = "3F000"
	serialization       = "40001"
	outcomeUnknown      = "40003"
	deadlock            = "40P01"
	notAllowed          = "42501"
	duplicateStatement  = "42P05"
	noSuchTable         = "42P01"
	duplicateTable      = "42P07"
	tooManyConnections  = "53300"
	lockNotAvailable    = "55P03"
	queryCanceled       = "57014"
	cannotConnectNow    = "57P03"
)

// classify returns the fault for an error of the driver when nothing was stored for
// certain. See classifyCommit for the other errors.
func classify(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	answer, answered := errors.AsType[*pgconn.PgError](err)
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok && !crowded(err) {
		return fault.Wrap(fault.Unavailable, err, "the database cannot be reached")
	}
	if answered {
		kind, detail := meaning(answer)
		if slices.Contains(busy, answer.Code) {
			err = store.Busy(err)
		}
		return fault.Wrap(kind, err, "%s", detail)
	}
	_, lost := errors.AsType[net.Error](err)
	switch {
	case errors.Is(err, errUndecided), errors.Is(err, errUnconfirmed):
		return fault.Wrap(fault.Unavailable, err, "the database does not confirm its writes; nothing was changed")
	case timedOut(err):
		return fault.Wrap(fault.Unavailable, err, "the database did not answer in time")
	case lost, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed), errors.Is(err, pgconn.ErrConnClosed):
		return fault.Wrap(fault.Unavailable, err, "the connection to the database was lost")
	}
	return fault.Wrap(fault.Internal, err, "the store failed")
}

// busy are the codes of a server that answers, but refuses for the moment.
var busy = []string{serialization, deadlock, lockNotAvailable, tooManyConnections, queryCanceled}

// meaning returns the meaning of an error answered by the server.
func meaning(answer *pgconn.PgError) (fault.Kind, string) {
	switch answer.Code {
	case divisionByZero: // a guard: see commit.go
		return fault.Conflict, "what the change rests on has changed"
	case uniqueViolation:
		if slices.Contains(chosenKeys, answer.ConstraintName) {
			return fault.Conflict, "another change has stored the same"
		}
	case readOnlyTransaction:
		return fault.Unavailable, "the database is read-only at the moment"
	case idleTransaction, longTransaction: // by a limit that the server's operator has set
		return fault.Unavailable, "the database has ended a transaction that took too long"
	case serialization, deadlock:
		return fault.Unavailable, "others keep changing the same"
	case lockNotAvailable:
		return fault.Unavailable, "another process keeps the store busy"
	case tooManyConnections:
		return fault.Unavailable, "the database has no connection left: allow it more (max_connections) or the service fewer"
	case notAllowed:
		return fault.Internal, "the database does not allow its user what is needed"
	case queryCanceled:
		return fault.Unavailable, "the database took too long"
	case noSuchStatement, duplicateStatement:
		return fault.Internal, "the database is behind a pooler that does not keep prepared statements"
	}
	switch answer.Code[:min(2, len(answer.Code))] {
	case "08":
		return fault.Unavailable, "the connection to the database was lost"
	case "57": // the end of a session, or of the server
		return fault.Unavailable, "the database has ended the connection"
	case "53":
		return fault.Unavailable, "the database is short of memory, disk or connections"
	case "58":
		return fault.Unavailable, "the database cannot use its files"
	}
	return fault.Internal, "the store failed"
}

// chosenKeys are the constraints on keys chosen by the domain. With these, and no others,
// a duplicate means that somebody else was first.
var chosenKeys = []string{
	"batches_pkey", "classifications_pkey", "components_pkey", "keywords_pkey", "leases_pkey", "milestones_pkey", "priorities_pkey", "problems_pkey", "queries_id_key",
	"reads_pkey", "relationships_pkey", "replies_pkey", "sessions_id_key", "states_pkey", "tokens_id_key", "users_pkey", "watchers_pkey", "webhooks_id_key",
}

// classifyCommit returns the fault for an error of the statements of a Change, once they
// may have been sent. Nothing is stored when the server itself has refused a statement,
// or was never reached. In all other cases the outcome of the Change is unknown. The
// driver's own advice about sending again does not count: some of its versions call sent
// statements safe to repeat.
func classifyCommit(err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok || refused(err) {
		return classify(err)
	}
	switch {
	case errors.Is(err, errUndecided):
		return fault.Wrap(fault.UnknownOutcome, err, "the database has not confirmed the change in time")
	case errors.Is(err, errUnconfirmed):
		return fault.Wrap(fault.UnknownOutcome, err, "the database has stopped waiting for its standby: the standby may lack the change")
	}
	return fault.Wrap(fault.UnknownOutcome, err, "the connection to the database was lost before an answer about the change")
}

// refused reports whether the server has answered a statement with an error that undoes
// its transaction. Classes 08 and 57P are about the connection, and a pooler may have
// made them up. With 40003 a distributed engine says that it does not know itself.
func refused(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || answer.Code == outcomeUnknown || strings.HasPrefix(answer.Code, "08") || strings.HasPrefix(answer.Code, "57P") {
		return false
	}
	return severityOf(answer) == "ERROR"
}

// severityOf returns the severity of an answer, in English where the server gives it.
func severityOf(answer *pgconn.PgError) string {
	if answer.SeverityUnlocalized == "" { // a pooler, or a server before 9.6
		return answer.Severity
	}
	return answer.SeverityUnlocalized
}

// retryable reports whether a second attempt may well succeed. Either the server has
// given up the transaction in favour of another one, or the statement was prepared for a
// table that has changed since: the driver then prepares it anew.
func retryable(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	if !ok || !refused(err) {
		return false
	}
	return answer.Code == serialization || answer.Code == deadlock || outdated(err)
}

// outdated reports whether a prepared statement no longer fits its tables.
func outdated(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == notSupported && strings.Contains(answer.Message, "cached plan")
}

// readOnly reports whether the server takes no writes, like a former primary.
func readOnly(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == readOnlyTransaction
}

// crowded reports whether the server has refused a connection because it has too
// many.
func crowded(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == tooManyConnections
}

// timedOut reports whether a limit on this side ended a call.
func timedOut(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || pgconn.Timeout(err)
}

// explain returns an error of the driver with a sentence for the operator in front
// of it, in one line.
func explain(err error) error {
	connecting, unreached := errors.AsType[*pgconn.ConnectError](err)
	answer, answered := errors.AsType[*pgconn.PgError](err)
	sentence, details := "", err.Error()
	switch {
	case unreached && answered: // by the last attempt to connect: the others failed before it
		details = answer.Error()
	case unreached:
		details = strings.Join(slices.Compact(strings.Split(connecting.Unwrap().Error(), "\n")), "; ")
	}
	switch {
	case !answered && unreached:
		sentence = "the database cannot be reached: "
	case !answered:
	case answer.Code == wrongPassword:
		sentence = "the database refuses the user or the password: "
	case answer.Code == noSuchDatabase:
		sentence = "there is no such database, create it first: "
	case answer.Code == noSuchSchema:
		sentence = "there is no schema to create tables in, create one that is in the search_path: "
	case answer.Code == notAllowed:
		sentence = "the database does not allow its user what is needed: "
	case answer.Code == tooManyConnections:
		sentence = "the database has no connection left, allow it more (max_connections) or the service fewer: "
	case answer.Code == cannotConnectNow:
		sentence = "the database is starting or stopping, try again: "
	case answer.Code == readOnlyTransaction:
		sentence = "the database is read-only, and its schema has to be brought up to date first: "
	case answer.Code == noSuchStatement, answer.Code == duplicateStatement, strings.Contains(answer.Message, unpooled):
		sentence = "the URL leads to a pooler in transaction mode, say that it is a pooler, and give a direct URL as well, for migrations: "
	case answer.Code == duplicateTable:
		sentence = "the schema has tables of another program with the same names, use another one (search_path): "
	}
	if mends(err) {
		err = fault.Wrap(fault.Unavailable, err, "the database is away")
	}
	return &explained{text: sentence + details, cause: err}
}

// passing returns an error that waiting cures: it is of kind fault.Unavailable.
func passing(format string, args ...any) error {
	away := fault.New(fault.Unavailable, format, args...)
	return &explained{text: away.Detail, cause: away}
}

// mends reports whether waiting can cure an error of Open: the database is away,
// starting, full, or not the primary at the moment. An answer about a mistake, such as a
// wrong password, decides, whatever other hosts said.
func mends(err error) bool {
	var answers []*pgconn.PgError
	each(err, func(e error) {
		if answer, ok := e.(*pgconn.PgError); ok {
			answers = append(answers, answer)
		}
	})
	if len(answers) > 0 {
		return !slices.ContainsFunc(answers, func(a *pgconn.PgError) bool { return !soon(a) })
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok {
		return slices.Contains([]string{"dial", "read", "write"}, operation.Op) // others are about TLS
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return true
	}
	for _, passes := range []error{
		pgconn.ErrStandbyConnection, pgconn.ErrReadOnlyConnection, pgconn.ErrConnClosed,
		io.EOF, io.ErrUnexpectedEOF, net.ErrClosed, context.DeadlineExceeded,
	} {
		if errors.Is(err, passes) {
			return true
		}
	}
	return pgconn.Timeout(err) || fault.Is(err, fault.Unavailable)
}

// soon reports whether the server may answer otherwise soon. A statement cancelled by
// somebody is not tried again.
func soon(answer *pgconn.PgError) bool {
	if slices.ContainsFunc(mistakes, func(text string) bool { return strings.Contains(answer.Message, text) }) {
		return false
	}
	return answer.Code == readOnlyTransaction ||
		slices.ContainsFunc([]string{"08", "53", "57P"}, func(class string) bool { return strings.HasPrefix(answer.Code, class) })
}

// each calls fn for every error in the tree.
func each(err error, fn func(error)) {
	fn(err)
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		if cause := e.Unwrap(); cause != nil {
			each(cause, fn)
		}
	case interface{ Unwrap() []error }:
		for _, cause := range e.Unwrap() {
			each(cause, fn)
		}
	}
}

// unpooled is the answer of PgBouncer, with a general code, about settings of a session.
const unpooled = "unsupported startup parameter"

// mistakes are all answers of PgBouncer, with the code of a lost connection, that waiting
// does not change.
var mistakes = []string{unpooled, "no such database", "no such user", "SSL required", "auth failed", "password authentication failed", "bouncer config error"}

// explained is an error with a better text than its cause.
type explained struct {
	text  string
	cause error
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.cause }
