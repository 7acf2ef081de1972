package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/text"
)

// variablePrefix is the begin of all variables of this program.
const variablePrefix = "PROBLEMS_"

// Kubernetes sets such variables in every container beside a service named problems, or
// problems-something: its own, and those of the former Docker links.
var (
	serviceVariable = regexp.MustCompile(`_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$`)
	linkVariable    = regexp.MustCompile(`_PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$`)
	linkValue       = regexp.MustCompile(`^((tcp|udp|sctp)(://.*)?|[0-9]+|[0-9a-f.:]+)$`)
)

// testVariables begin the names of variables for the tests of this program.
var testVariables = []string{"PROBLEMS_TEST_", "PROBLEMS_CONFORMANCE_"}

// Misspelt returns a sentence for each variable of an environment that looks like a
// setting of this program and is none. environ has NAME=value as os.Environ does, and
// known are the names of all settings. Values may be secret, and are not repeated.
func Misspelt(environ, known []string) []string {
	var sentences []string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		upper := strings.ToUpper(name)
		if value == "" || !strings.HasPrefix(upper, variablePrefix) || slices.Contains(known, name) || foreign(name, value) {
			continue
		}
		sentence := fmt.Sprintf("the variable %s is no setting and has no effect", name)
		if near := nearest(upper, known); near != "" {
			sentence += ": did you mean " + near + "?"
		}
		sentences = append(sentences, sentence)
	}
	slices.Sort(sentences)
	return slices.Compact(sentences)
}

// foreign reports whether a variable is meant for somebody else.
func foreign(name, value string) bool {
	if slices.ContainsFunc(testVariables, func(prefix string) bool { return strings.HasPrefix(name, prefix) }) {
		return true
	}
	if serviceVariable.MatchString(name) {
		return true
	}
	// Somebody may well set PROBLEMS_PORT to a number, for PROBLEMS_LISTEN.
	if link := linkVariable.FindStringSubmatch(name); link != nil {
		return strings.Contains(value, "://") || link[1] != "" && linkValue.MatchString(value)
	}
	return false
}

// nearest returns the known name nearest to a name; "" when none is near.
func nearest(name string, known []string) string {
	best, distance := "", max(1, (len(name)-len(variablePrefix))/3)+1
	for _, k := range known {
		if d := text.EditDistance(name, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}
