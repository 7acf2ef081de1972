package postgres

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

// Each tracker has a schema of its own. Its tables, sequences and advisory locks go by the
// name of the schema, so any number of trackers share one database.

// schemaParameter is the parameter of the URL with the name of the schema.
const schemaParameter = "schema"

// schemaForm allows names that need no quotes in SQL, unless they are its words.
var schemaForm = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

var errSchema = errors.New("the schema in the URL of a database has a name such as tracker_a: at most 63 of a-z, 0-9 and _, not with a digit or pg_ at the beginning, and not information_schema")

// schemaOf returns the schema in the URL of a database; "" when it names none.
func schemaOf(text string) (string, error) {
	_, query, _ := strings.Cut(text, "?")
	parameters, _ := url.ParseQuery(query) // its form was checked
	names, given := parameters[schemaParameter]
	switch {
	case !given:
		return "", nil
	case len(names) > 1:
		return "", errors.New("the URL of a database has the parameter schema more than once")
	case parameters.Has("search_path"):
		return "", errors.New("the URL of a database has both schema and search_path: leave one out; migrations create only the one in schema")
	case !schemaForm.MatchString(names[0]), strings.HasPrefix(names[0], "pg_"), names[0] == "information_schema":
		return "", errSchema
	}
	return names[0], nil
}

// nameSchema takes the schema from the URLs, whose form is certain. The direct URL need
// not repeat it.
func (o *Options) nameSchema() error {
	o.schema, _ = schemaOf(o.URL)
	if o.Direct == "" {
		return nil
	}
	if direct, _ := schemaOf(o.Direct); direct != "" && direct != o.schema {
		return fmt.Errorf("postgres: the direct URL: it has the schema %s, and the other URL %s: name the same in both", direct, orNone(o.schema))
	}
	return nil
}

func orNone(name string) string {
	if name == "" {
		return "none"
	}
	return name
}

// quoted returns the schema as SQL has it. Its name may be a word of SQL.
func (o Options) quoted() string { return `"` + o.schema + `"` }

// enterSchema lets the sessions of a configuration begin in the schema.
func (o Options) enterSchema(config *pgx.ConnConfig) {
	if o.schema != "" {
		setParameters(config, map[string]string{"search_path": o.quoted()})
	}
}

// createSchema creates the schema, unless it exists.
func (o Options) createSchema(ctx context.Context, db *bun.DB) error {
	if o.schema == "" {
		return nil
	}
	var there bool
	if err := db.NewRaw("SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = ?)", o.schema).Scan(ctx, &there); err != nil || there {
		return err
	}
	_, err := db.ExecContext(ctx, "CREATE SCHEMA IF NOT EXISTS "+o.quoted())
	answer, answered := errors.AsType[*pgconn.PgError](err)
	switch {
	case answered && answer.Code == uniqueViolation: // another process was quicker
		return nil
	case answered && answer.Code == notAllowed:
		return &explained{text: fmt.Sprintf("the user may not create the schema %s: as the owner of the database, CREATE SCHEMA %[1]s AUTHORIZATION with the user's name", o.quoted()), cause: err}
	}
	return err
}

// planSchema returns the statements with which a plan enters the schema, and before that
// creates a missing one. Creating takes a right, even where the schema exists.
func (o Options) planSchema(missing bool) string {
	if o.schema == "" {
		return ""
	}
	enter := fmt.Sprintf("SET LOCAL search_path TO %s;\n\n", o.quoted())
	if missing {
		return fmt.Sprintf("CREATE SCHEMA IF NOT EXISTS %s;\n", o.quoted()) + enter
	}
	return enter
}

// inSchema returns a statement for an operator whose session begins elsewhere.
func (o Options) inSchema(statement string) string {
	if o.schema == "" {
		return statement
	}
	return fmt.Sprintf("SET search_path TO %s; %s", o.quoted(), statement)
}
