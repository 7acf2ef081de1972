package predicate

import "strings"

// Quote returns a text as a string of the query language.
func Quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
