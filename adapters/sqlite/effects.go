package sqlite

import (
	"context"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// expect fails with fault.Conflict when the expectation does not hold.
func (t *transaction) expect(expectation store.Expectation) error {
	switch e := expectation.(type) {
	case store.CatalogueAt:
		return conflictUnless(t.Catalogue == e.Version, "the catalogue is not at the expected version")
	case store.AccessAt:
		return conflictUnless(t.Access == e.Version, "the tokens are not at the expected version")
	}
	statement, ok := t.dialect.Expectation(expectation)
	if !ok {
		return sqlstore.Unsupported(expectation)
	}
	found, err := t.one([]any{new(int)}, statement.SQL, statement.Args...)
	if err != nil {
		return err
	}
	return conflictUnless(found, statement.Conflict)
}

// apply does the effects of the Change, and raises the versions concerned by 1.
func (t *transaction) apply(change store.Change) error {
	statements, err := t.dialect.Effects(change, t.next)
	if err != nil {
		return err
	}
	if err := (sqlstore.Reader{Dialect: t.dialect, Session: session{t.conn}}).Rewrites(context.Background(), change, t.do); err != nil {
		return err
	}
	if err := t.do(statements...); err != nil {
		return err
	}
	t.Versions = t.Versions.After(change)
	return nil
}

// do runs the statements. It fails with fault.Conflict when a statement changes nothing
// although it has to.
func (t *transaction) do(statements ...sqlstore.Statement) error {
	for _, s := range statements {
		touched, err := t.exec(s.SQL, s.Args...)
		if err != nil {
			return err
		}
		if s.Conflict != "" {
			if err := conflictUnless(touched > 0, s.Conflict); err != nil {
				return err
			}
		}
	}
	return nil
}

// conflictUnless returns fault.Conflict with the message, unless the condition holds.
func conflictUnless(holds bool, message string) error {
	if holds {
		return nil
	}
	return fault.New(fault.Conflict, "%s", message)
}
