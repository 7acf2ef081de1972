// Package builtin describes the kinds of stores of the project itself.
package builtin

import "github.com/problemtracking/problems/app/backend"

// Kinds returns them: in memory, SQLite and PostgreSQL.
func Kinds() []backend.Kind { return []backend.Kind{Memory(), SQLite(), Postgres()} }
