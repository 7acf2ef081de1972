package sqlstore

import (
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Finding is a fault of a store, and the way to mend it.
type Finding struct {
	// Grave is true if the service cannot work, or if data is at risk.
	Grave bool
	What  string // a sentence without its full stop
	Mend  string // what to do, as an order
}

// Left returns the finding for pending migrations, if there are any.
func Left(all []Migration) (findings []Finding) {
	var names []string
	for _, m := range all {
		if !m.Applied && !m.Background {
			names = append(names, m.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []Finding{{Grave: true, What: "the schema lacks " + strings.Join(names, ", "), Mend: `run "problems migrate", or start a service of this version`}}
}

// NotFolded returns the finding for texts folded by an older version.
func NotFolded() Finding {
	return Finding{What: "searches for texts compare as an older version did", Mend: `run "problems migrate", or start a service of this version`}
}

// created matches a statement of a migration: it makes or removes a table or an index.
var created = regexp.MustCompile(`(?m)^(CREATE|DROP) ((?:VIRTUAL )?TABLE|(?:UNIQUE )?INDEX) ([a-z_]+)[^;]*;`)

// Created returns the CREATE statements of the schema's tables and indexes, by name. The
// index of a primary key is part of its table.
func (s Steps) Created() (tables, indexes map[string]string, err error) {
	tables, indexes = map[string]string{}, map[string]string{}
	files, err := fs.Glob(s.Files, "migrations/*.up.sql") // in the order of their names
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files {
		text, err := fs.ReadFile(s.Files, file)
		if err != nil {
			return nil, nil, fmt.Errorf("%w", err)
		}
		for _, statement := range created.FindAllSubmatch(text, -1) {
			of := indexes
			if strings.HasSuffix(string(statement[2]), "TABLE") {
				of = tables
			}
			if name := string(statement[3]); string(statement[1]) == "DROP" {
				delete(of, name)
			} else {
				of[name] = string(statement[0])
			}
		}
	}
	return tables, indexes, nil
}

// positioned finds the column of a table for its place in the order of all writes.
var positioned = regexp.MustCompile(`(?m)^\s+position\s`)

// Positioned returns the tables whose rows have positions, in the order of their names. The
// table of versions is none of them: SQLite counts positions there.
func (s Steps) Positioned() ([]string, error) {
	tables, _, err := s.Created()
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(tables, func(name, statement string) bool { return name == "versions" || !positioned.MatchString(statement) })
	return slices.Sorted(maps.Keys(tables)), nil
}

// HighestPosition returns a query for the highest position in use, 0 for none.
func (s Steps) HighestPosition() (string, error) {
	tables, err := s.Positioned()
	if err != nil {
		return "", err
	}
	for i, table := range tables {
		tables[i] = "SELECT max(position) AS position FROM " + table
	}
	return "SELECT coalesce(max(position), 0) FROM (" + strings.Join(tables, " UNION ALL ") + ") AS used", nil
}
