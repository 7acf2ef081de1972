package sqlstore

import (
	"fmt"
	"io/fs"
	"regexp"
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
		if !m.Applied {
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
var created = regexp.MustCompile(`(?m)^(CREATE|DROP) (TABLE|(?:UNIQUE )?INDEX) ([a-z_]+)[^;]*;`)

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
			if string(statement[2]) == "TABLE" {
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
