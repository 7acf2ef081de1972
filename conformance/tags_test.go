package conformance

import (
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/blobs"
)

var (
	tag      = regexp.MustCompile(`\(([A-Z]+-[0-9]{3})\)`)
	must     = regexp.MustCompile(`\bmust\b[^"]`)
	fails    = regexp.MustCompile(`\b(fails?|refused) with\b|\bthe kind fault\.`)
	kind     = regexp.MustCompile(`\b(?:fault\.|Err)[A-Z]\w+`)
	sentence = regexp.MustCompile(`[.]\s`)
)

// TestEveryRuleHasACase holds the cases against the comments of packages store, snapshot and blob. Each
// sentence with a "must", and each about an error of some kind, needs a case.
func TestEveryRuleHasACase(t *testing.T) {
	t.Parallel()
	for _, complaint := range append(compare(contract(t, "store", "snapshot"), Cases()), compare(contract(t, "blob"), casesOfBlobs())...) {
		t.Error(complaint)
	}
}

// casesOfBlobs returns the cases of Blobs.
func casesOfBlobs() (cases []bench.Case) {
	for _, c := range blobs.Cases() {
		cases = append(cases, bench.Case{ID: c.ID, Rule: c.Rule})
	}
	return cases
}

// compare returns the differences between a contract and the cases that hold it.
func compare(contract []string, cases []bench.Case) (complaints []string) {
	complain := func(format string, args ...any) { complaints = append(complaints, fmt.Sprintf(format, args...)) }
	words := make(map[string]string) // the rules of the cases by tag
	seen := make(map[string]bool)
	for _, c := range cases {
		if seen[c.ID] {
			complain("two cases have the ID %s", c.ID)
		}
		seen[c.ID] = true
		words[c.Tag()] += c.Rule + " "
		if !strings.HasSuffix(c.Rule, ".") {
			complain("the rule of the case %s is not a sentence: %q", c.ID, c.Rule)
		}
	}
	rules := make(map[string]bool)
	for _, comment := range contract {
		for _, said := range sentence.Split(comment, -1) {
			tags := tag.FindAllStringSubmatch(said, -1)
			if (must.MatchString(said) || fails.MatchString(said)) && len(tags) == 0 {
				complain("the port says %q without the tag of a case", said)
			}
			held := ""
			for _, found := range tags {
				rules[found[1]] = true
				held += words[found[1]]
			}
			for _, error := range promised(said) {
				if len(tags) > 0 && !strings.Contains(held, error) {
					complain("the port says %q, of which no case names %s in its rule", said, error)
				}
			}
		}
	}
	for _, c := range cases {
		if !rules[c.Tag()] {
			complain("the case %s cites a tag that the port does not have", c.ID)
		}
	}
	for _, rule := range slices.Sorted(maps.Keys(rules)) {
		if words[rule] == "" {
			complain("the port demands %s, of which there is no case", rule)
		}
	}
	return complaints
}

// promised returns the errors and kinds of errors that a sentence promises, as the rules
// of cases name them. A clause without such a promise may name others as an aside.
func promised(said string) (errors []string) {
	for _, clause := range strings.Split(said, ";") {
		if must.MatchString(clause) || fails.MatchString(clause) {
			for _, name := range kind.FindAllString(clause, -1) {
				errors = append(errors, strings.TrimPrefix(name, "fault."))
			}
		}
	}
	return errors
}

// The comparison notices each way in which a contract and its cases can differ.
func TestCompareContract(t *testing.T) {
	t.Parallel()
	cases := []bench.Case{
		{ID: "COM-001", Rule: "A Commit of nothing fails with Conflict."},
		{ID: "COM-002/twice", Rule: "A Commit stores the Change."},
	}
	const whole = "It must store the Change (COM-002). It fails with fault.Conflict when there is none (COM-001); fault.Closed is another story. "
	for _, c := range []struct{ contract, want string }{
		{whole, ""},
		{whole + "It must be quick. ", "without the tag of a case"},
		{whole + "It fails with fault.Closed in the end. ", "without the tag of a case"},
		{whole + "It ends soon, with the kind fault.Unavailable. ", "without the tag of a case"},
		{whole + "Others are refused with fault.Unsupported. ", "without the tag of a case"},
		{whole + "It must be quick (COM-003). ", "demands COM-003, of which there is no case"},
		{whole + "It fails with fault.Closed in the end (COM-002). ", "no case names Closed in its rule"},
		{whole + "Each read must fail with ErrOver (COM-002). ", "no case names ErrOver in its rule"},
		{"It must store the Change (COM-002). ", "COM-001 cites a tag that the port does not have"},
	} {
		complaints := strings.Join(compare([]string{c.contract}, cases), "\n")
		if (complaints == "") != (c.want == "") || !strings.Contains(complaints, c.want) {
			t.Errorf("%q: the complaints are %q, want %q", c.contract, complaints, c.want)
		}
	}
	twice := strings.Join(compare([]string{whole}, append(cases, bench.Case{ID: "COM-001", Rule: "no sentence"})), "\n")
	for _, want := range []string{"two cases have the ID COM-001", "is not a sentence"} {
		if !strings.Contains(twice, want) {
			t.Errorf("the complaints are %q, want %q", twice, want)
		}
	}
}

// contract returns the comments of the packages of a port, each on one line.
func contract(t *testing.T, packages ...string) []string {
	t.Helper()
	list := []string{"list", "-f", `{{range .GoFiles}}{{$.Dir}}/{{.}}{{"\n"}}{{end}}`}
	for _, name := range packages {
		list = append(list, "github.com/problemtracking/problems/domain/"+name)
	}
	out, err := exec.CommandContext(t.Context(), "go", list...).Output()
	if err != nil {
		t.Fatalf("go list, which finds the sources of the packages %v: %v", packages, err)
	}
	var comments []string
	for _, file := range strings.Fields(string(out)) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range parsed.Comments {
			comments = append(comments, strings.Join(strings.Fields(group.Text()), " ")+" ")
		}
	}
	return comments
}
