package limits

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"
)

// pgbenchScript is a transaction as pgbench runs it.
type pgbenchScript struct {
	text strings.Builder
	// constants are variables of pgbench without change. A constant argument becomes one,
	// not a part of the text: so the server gets the adapter's own statement, with an
	// argument in each place of one.
	constants map[string]string
	names     map[string]string // of the constants, by value
	// forms are how variables stand in the SQL, by name, when it is not by their
	// name alone. pgbench computes numbers only.
	forms map[string]string
}

func newScript(forms map[string]string) *pgbenchScript {
	return &pgbenchScript{constants: make(map[string]string), names: make(map[string]string), forms: forms}
}

// constant returns the name of the variable with a value.
func (s *pgbenchScript) constant(value string) string {
	name, ok := s.names[value]
	if !ok {
		name = "c" + strconv.Itoa(len(s.names))
		s.names[value], s.constants[name] = name, value
	}
	return name
}

// line appends a line of pgbench.
func (s *pgbenchScript) line(format string, args ...any) {
	fmt.Fprintf(&s.text, format+"\n", args...)
}

// send appends the adapter's statements, in as many round trips.
func (s *pgbenchScript) send(c captured) error {
	for _, trip := range c.Trips {
		pipeline := len(trip.Statements) > 1
		if pipeline {
			s.line(`\startpipeline`)
		}
		for _, statement := range trip.Statements {
			sql, err := s.sql(statement)
			if err != nil {
				return err
			}
			s.line("%s;", sql)
		}
		if pipeline {
			s.line(`\endpipeline`)
		}
	}
	return nil
}

// placeholder is a text in quotes, left as it is, or the number of an argument.
var placeholder = regexp.MustCompile(`'[^']*'|\$[0-9]+`)

// sql returns the statement with variables of pgbench as its arguments. pgbench numbers
// them again when it prepares statements. NULL is part of the text: no variable can have
// this value.
func (s *pgbenchScript) sql(statement statement) (string, error) {
	if strings.Contains(statement.SQL, ";") {
		return "", fmt.Errorf("pgbench would take this for several statements: %s", statement.SQL)
	}
	var failure error
	types := pgtype.NewMap()
	text := placeholder.ReplaceAllStringFunc(statement.SQL, func(found string) string {
		if found[0] == '\'' {
			return found
		}
		n, err := strconv.Atoi(found[1:])
		if err != nil || n < 1 || n > len(statement.Args) {
			failure = fmt.Errorf("there is no argument %s: %s", found, statement.SQL)
			return found
		}
		switch a := statement.Args[n-1]; {
		case a.Null:
			t, ok := types.TypeForOID(a.Type)
			if !ok {
				failure = fmt.Errorf("argument %s has a type that is not known: %s", found, statement.SQL)
				return found
			}
			return "NULL::" + t.Name
		case len(a.Parts) > 0:
			texts := make([]string, len(a.Parts))
			for i, part := range a.Parts {
				texts[i] = s.variable(part) + "::text"
			}
			return "(" + strings.Join(texts, " || ") + ")"
		default:
			return s.variable(a)
		}
	})
	return text, failure
}

// variable returns a constant or a variable as it stands in the SQL.
func (s *pgbenchScript) variable(a argument) string {
	switch {
	case a.Variable == "":
		return ":" + s.constant(a.Value)
	case s.forms[a.Variable] != "":
		return s.forms[a.Variable]
	default:
		return ":" + a.Variable
	}
}

// pgbench has the first 64 bits of identifiers as a number. They grow with time, like
// those of the service, so they go to the same place in an index. The second half tells
// those of one transaction apart.
var identifierForms = map[string]string{
	"batch":  "rpad(lpad(to_hex(:number::bigint), 16, '0'), 32, '0')::uuid",
	"before": "rpad(lpad(to_hex(:former::bigint), 16, '0'), 32, '0')::uuid",
	"entry":  "rpad(lpad(to_hex(:number::bigint), 16, '0'), 32, '1')::uuid",
}

// loadScript loads one of the problems at random, as the adapter does it.
func loadScript(load captured, problems []int64) (*pgbenchScript, error) {
	if len(problems) == 0 {
		return nil, errors.New("there is no problem to load")
	}
	s := newScript(nil)
	s.line(`\set place random(0, %d)`, len(problems)-1)
	s.line(`\set problem %s`, choice(problems, 0))
	return s, s.send(load)
}

// choice returns an expression for the problem with the number :place, with the fewest
// comparisons: pgbench has no arrays.
func choice(problems []int64, from int) string {
	if len(problems) == 1 {
		return strconv.FormatInt(problems[0], 10)
	}
	half := len(problems) / 2
	return fmt.Sprintf("CASE WHEN :place < %d THEN %s ELSE %s END", from+half, choice(problems[:half], from), choice(problems[half:], from+half))
}

// patchScript patches the state of a problem, back and forth, each client on a problem of
// its own. It reads the first values from the database, once.
func patchScript(phases [2]captured, b beginning) (*pgbenchScript, error) {
	s := newScript(identifierForms)
	s.constants["started"] = "0"
	s.constants["problems"] = list(b.problems)
	s.constants["second"] = b.second
	s.constants["serial"] = strconv.FormatInt(b.serial, 10)
	s.constants["at"] = strconv.FormatInt(b.at, 10)
	s.line(`\if :started`)
	s.line(`\else`)
	s.line(`SELECT id AS problem, revision AS old, (state = :second::uuid)::int AS phase FROM problems WHERE id = (:problems::bigint[])[:client_id + 1] \gset`)
	// pgbench knows a batch by its number: the first one gets such a batch.
	s.line(`\set former :serial + :client_id`)
	s.line(`UPDATE problems SET batch = %s WHERE id = :problem;`, identifierForms["before"])
	s.line(`\set started 1`)
	s.line(`\endif`)
	s.line(`\set new :old + 1`)
	s.line(`\set at :at + 1000`)
	s.line(`\set serial :serial + %d`, len(b.problems))
	s.line(`\set number :serial + :client_id`)
	s.line(`\if :phase`)
	if err := s.send(phases[1]); err != nil {
		return nil, err
	}
	s.line(`\else`)
	if err := s.send(phases[0]); err != nil {
		return nil, err
	}
	s.line(`\endif`)
	s.line(`\set old :new`)
	s.line(`\set former :number`)
	s.line(`\set phase 1 - :phase`)
	return s, nil
}

// beginning reads the first values of patches in pgbench.
type beginning struct {
	problems []int64 // one for each client
	second   string  // the state at the begin of the second phase
	// serial is above the first halves of all identifiers before, and at, in
	// microseconds since 1970, not before all times.
	serial, at int64
}

// list returns numbers as an array of the database.
func list(numbers []int64) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return "{" + strings.Join(texts, ",") + "}"
}
