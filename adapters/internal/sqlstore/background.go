package sqlstore

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Index is an index that a background step makes or drops.
type Index struct {
	Name string
	Drop bool
	// Statement does it beside writes. It does nothing when it was done before.
	Statement string
}

// The statements of a background step.
var (
	makesIndex = regexp.MustCompile(`^CREATE (UNIQUE )?INDEX ([a-z_][a-z0-9_]*) ON `)
	dropsIndex = regexp.MustCompile(`^DROP INDEX ([a-z_][a-z0-9_]*)$`)
)

// Indexes returns the indexes of a background step, in their order.
func (s Steps) Indexes(m Migration) (all []Index, err error) {
	text, err := s.text(m.Name)
	if err != nil {
		return nil, err
	}
	for _, statement := range statements(text) {
		statement = strings.TrimSuffix(strings.TrimSpace(statement), ";")
		if found := makesIndex.FindStringSubmatch(statement); found != nil {
			rest := strings.TrimPrefix(statement, found[0])
			all = append(all, Index{Name: found[2], Statement: "CREATE " + found[1] + "INDEX CONCURRENTLY IF NOT EXISTS " + found[2] + " ON " + rest})
			continue
		}
		found := dropsIndex.FindStringSubmatch(statement)
		if found == nil {
			return nil, fmt.Errorf("the step %s is one for the background, and so has statements CREATE INDEX name ON … and DROP INDEX name alone: not %q", m.Name, statement)
		}
		all = append(all, Index{Name: found[1], Drop: true, Statement: "DROP INDEX CONCURRENTLY IF EXISTS " + found[1]})
	}
	return all, nil
}

// ListIndexes returns the statement that lists a background step, unless one of its indexes
// is missing or unusable, or the step is listed already.
func (s Steps) ListIndexes(m Migration, indexes []Index) string {
	made := make(map[string]bool)
	for _, index := range indexes {
		made[index.Name] = !index.Drop
	}
	var conditions []string
	for name, made := range made {
		condition := "EXISTS (SELECT FROM pg_index WHERE indexrelid = " + Regclass(name) + " AND indisvalid)"
		if !made {
			condition = Regclass(name) + " IS NULL"
		}
		conditions = append(conditions, " AND "+condition)
	}
	slices.Sort(conditions)
	return fmt.Sprintf("INSERT INTO %s (name, group_id) SELECT '%s', (SELECT coalesce(max(group_id), 0) + 1 FROM %[1]s) WHERE NOT EXISTS (SELECT FROM %[1]s WHERE name = '%[2]s')%s",
		s.Table, m.listed(), strings.Join(conditions, ""))
}

// Regclass returns the expression for an index of the schema. The search_path may have
// further schemas.
func Regclass(name string) string {
	return "to_regclass(quote_ident(current_schema()) || '." + name + "')"
}
