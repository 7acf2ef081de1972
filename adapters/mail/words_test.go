package mail

import (
	"testing"

	"github.com/problemtracking/problems/domain/problem"
)

// A mail names each field that changed, in every language.
func TestWordsNameAllFields(t *testing.T) {
	t.Parallel()
	for language, words := range languages {
		for _, f := range problem.ClientFields() {
			if words.fields[f.Name] == "" {
				t.Errorf("%s has no name for the field %s", language, f.Name)
			}
		}
	}
}
