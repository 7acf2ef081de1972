// Package column names the columns of lists of problems.
package column

import (
	"fmt"
	"slices"
	"strings"
)

// List is a choice of columns: their names, separated by commas, each at most once. Empty: the usual ones.
type List string

// names are the columns to choose from. Number and title are in each list.
var names = []string{"state", "priority", "assignee", "component", "milestone", "due", "classification", "originator", "creationDate", "modificationDate"}

// Parse reads names with commas between them, with or without spaces. The text of the error ends a
// sentence for its author.
func Parse(text string) (List, error) {
	sent := strings.Split(text, ",")
	for i := range sent {
		sent[i] = strings.TrimSpace(sent[i])
		if !slices.Contains(names, sent[i]) {
			return "", fmt.Errorf("has an unknown column as name %d: send some of %s, with commas between them", i+1, strings.Join(names, ", "))
		}
		if slices.Contains(sent[:i], sent[i]) {
			return "", fmt.Errorf("has the column %s twice", sent[i])
		}
	}
	return List(strings.Join(sent, ",")), nil
}

// Check refuses a text that Parse would not return.
func (l List) Check() error {
	if l == "" {
		return nil
	}
	parsed, err := Parse(string(l))
	if err == nil && parsed != l {
		err = fmt.Errorf("must be %q, without spaces", parsed)
	}
	return err
}

// Names returns the chosen columns, or none for the usual ones.
func (l List) Names() []string {
	if l == "" {
		return nil
	}
	return strings.Split(string(l), ",")
}
