package e2e

import (
	"fmt"
	"regexp"
	"strings"
)

// volatile are the forms of texts that differ from run to run. Longer forms come first.
var volatile = []struct {
	name string
	form *regexp.Regexp
}{
	{"parameter", regexp.MustCompile(`\b(cursor|preview)=[0-9A-Za-z_%-]+`)}, // of a page, and of a change of many problems
	{"preview", regexp.MustCompile(`"[0-9A-Za-z_-]{54}"`)},                  // the same, in the body of an answer
	{"token", regexp.MustCompile(`pts_[0-9A-Za-z]{49}`)},
	{"uuid", regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)},
	{"hash", regexp.MustCompile(`\b[0-9a-f]{16}\b`)}, // in entity tags, made of identifiers
	{"file", regexp.MustCompile(`/tmp/\S*`)},
}

// times keep no number: two writes may or may not fall into the same millisecond.
var times = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)

// names replaces each different token, identifier and so on by its kind and the
// number of its first appearance, so that transcripts agree exactly when the same
// things stand in the same places.
type names struct{ numbers map[string]map[string]int }

func newNames() *names {
	n := &names{map[string]map[string]int{}}
	for _, v := range volatile {
		n.numbers[v.name] = map[string]int{}
	}
	return n
}

func (n *names) replace(text string) string {
	for _, v := range volatile {
		numbers := n.numbers[v.name]
		text = v.form.ReplaceAllStringFunc(text, func(found string) string {
			if numbers[found] == 0 {
				numbers[found] = len(numbers) + 1
			}
			return fmt.Sprintf("<%s-%d>", v.name, numbers[found])
		})
	}
	return times.ReplaceAllString(text, "<time>")
}

// normalise replaces the names in a whole transcript, and the server's address.
func normalise(transcript, url string) string {
	return newNames().replace(strings.ReplaceAll(transcript, url, "http://server"))
}
