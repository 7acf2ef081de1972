package rules

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// repository is the source of the project, as far as it is there: all of it in a
// clone, and this module alone elsewhere.
type repository struct {
	root  string
	files map[string]string // the text of each file of source or documentation, by its path from the root
}

var source = sync.OnceValues(func() (repository, error) {
	r := repository{root: filepath.Join("..", ".."), files: make(map[string]string)}
	if _, err := os.Stat(filepath.Join(r.root, "go.work")); err != nil {
		r.root = ".."
	}
	return r, filepath.WalkDir(r.root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if slices.Contains([]string{".git", "bin", "node_modules"}, entry.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".md", ".json", ".sql"}, filepath.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(r.root, name)
		r.files[filepath.ToSlash(inside)] = string(text)
		return err
	})
})

func readSource(t *testing.T) repository {
	t.Helper()
	r, err := source()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// isClone reports whether all modules are there, and not the domain alone.
func (r repository) isClone() bool { return r.files["conformance/httpsuite/suite.go"] != "" }

var (
	caseID   = regexp.MustCompile(`"(HTTP-[A-Z0-9]+-[0-9]{3})"`)
	testFunc = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
)

// names returns the cases and the tests that exist.
func (r repository) names() map[string]bool {
	names := make(map[string]bool)
	for file, text := range r.files {
		form := caseID
		if strings.HasSuffix(file, "_test.go") {
			form = testFunc
		} else if !strings.HasPrefix(file, "conformance/") {
			continue
		}
		for _, match := range form.FindAllStringSubmatch(text, -1) {
			names[match[1]] = true
		}
	}
	return names
}

// checkRules returns a sentence for each fault of the rules. exist holds the names of
// cases and tests; nil stands for all.
func checkRules(all []Rule, exist map[string]bool) (faults []string) {
	seen := make(map[string]bool)
	for _, r := range all {
		fault := func(format string, args ...any) {
			faults = append(faults, fmt.Sprintf("%s (%s): ", r.Tag, r.Path())+fmt.Sprintf(format, args...))
		}
		if seen[r.Tag] {
			fault("another rule has this tag")
		}
		seen[r.Tag] = true
		if needsWhy.MatchString(r.Tag) && r.Why == "" {
			fault("the reason is missing: add a line that begins with \"Why: \"")
		}
		holders := slices.Concat(r.Cases, r.Tests)
		if len(holders) == 0 && r.NoCase == "" {
			fault("no case or test holds it: name one after \"Cases: \" or \"Tests: \", or say why after \"No case: \"")
		}
		for _, name := range holders {
			if exist != nil && !exist[name] {
				fault("there is no case or test %s", name)
			}
		}
	}
	return faults
}

// needsWhy matches the tags of rules with a reason of their own. The operations share the
// reason of their section, and the tags of the storage port that of their page.
var needsWhy = regexp.MustCompile(`^(?:D[0-9]+|.* section [0-9]+)$`)

// checkTags returns a sentence for each heading with an anchor that is no rule: it has no
// number. In the query language, such headings are parts of a rule.
func checkTags(page, text string, all []Rule) (faults []string) {
	id := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if id != "" && strings.HasPrefix(line, "## ") && !slices.ContainsFunc(all, func(r Rule) bool { return r.Page == page && r.Anchor == id }) {
			faults = append(faults, fmt.Sprintf("%s: the rule %q has no tag: give it the next free number", page, line))
		}
		id = ""
		if match := anchor.FindStringSubmatch(line); match != nil {
			id = match[1]
		}
	}
	return faults
}

var bareSection = regexp.MustCompile(`\b(sections? [0-9])`)

// checkCitations returns a sentence for each citation without a rule.
func checkCitations(file, text string, known func(tag string) bool) (faults []string) {
	if strings.HasPrefix(file, "domain/predicate/") { // where a section is one of the query language
		text = bareSection.ReplaceAllString(text, "query language $1")
	}
	if !slices.ContainsFunc(Cited(text), func(tag string) bool { return !known(tag) }) {
		return nil
	}
	for number, line := range strings.Split(text, "\n") {
		for _, tag := range Cited(line) {
			if !known(tag) {
				faults = append(faults, fmt.Sprintf("%s:%d cites %s, but no page of domain/rules has this rule", file, number+1, tag))
			}
		}
	}
	return faults
}

// checkPort returns a sentence for each tag of a port that its package does
// not have.
func checkPort(files map[string]string) (faults []string) {
	has := make(map[string]bool)
	inPort := func(file string) bool {
		folder := path.Dir("/" + file)
		return strings.HasSuffix(folder, "/store") || strings.HasSuffix(folder, "/domain/snapshot") || strings.HasSuffix(folder, "/domain/blob")
	}
	for file, text := range files {
		for _, tag := range portTags(text) {
			has[tag] = has[tag] || inPort(file)
			kind, _, _ := strings.Cut(tag, "-")
			if _, ok := Find(kind); inPort(file) && !ok && strings.Contains(text, "("+tag+")") {
				faults = append(faults, fmt.Sprintf("%s has the tag %s, but domain/rules/store.md has no section %s", file, tag, kind))
			}
		}
	}
	for file, text := range files {
		for _, tag := range portTags(text) {
			if r, ok := Find(strings.TrimRight(tag, "-0123456789")); ok && r.Page == "store.md" && !has[tag] {
				faults = append(faults, fmt.Sprintf("%s cites %s, but no port has such a tag", file, tag))
			}
		}
	}
	return faults
}

var portTag = regexp.MustCompile(`(?:^|[^A-Z0-9-])([A-Z]+-[0-9]{3})\b`)

func portTags(text string) (tags []string) {
	for _, match := range portTag.FindAllStringSubmatch(text, -1) {
		tags = append(tags, match[1])
	}
	return tags
}

var (
	link        = regexp.MustCompile(`\]\(<?([^)>\s]+)>?\)`)
	fence       = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	inline      = regexp.MustCompile("`[^`\n]*`")
	anyAnchor   = regexp.MustCompile(`<a id="([^"]+)">`)
	anyHeading  = regexp.MustCompile(`(?m)^#{1,6} .+$`)
	schemeOrAbs = regexp.MustCompile(`^(?:[a-z]+:|/)`)
)

// checkLinks returns a sentence for each relative link of the page that leads nowhere.
// read returns the text of a file, and "" for a folder.
func checkLinks(file, text string, read func(file string) (string, error)) (faults []string) {
	prose := inline.ReplaceAllString(fence.ReplaceAllString(text, ""), "")
	for _, match := range link.FindAllStringSubmatch(prose, -1) {
		target, id, _ := strings.Cut(match[1], "#")
		if schemeOrAbs.MatchString(match[1]) {
			continue
		}
		to := text
		if target != "" {
			var err error
			if to, err = read(path.Join(path.Dir(file), target)); err != nil {
				faults = append(faults, fmt.Sprintf("%s links to %s: %v", file, match[1], err))
				continue
			}
		}
		if id != "" && !slices.Contains(anchors(to), id) {
			faults = append(faults, fmt.Sprintf("%s links to %s, which has no anchor #%s", file, match[1], id))
		}
	}
	return faults
}

// anchors returns the anchors of a page: those that it sets, and those of its headings.
func anchors(text string) (all []string) {
	for _, match := range anyAnchor.FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	for _, heading := range anyHeading.FindAllString(fence.ReplaceAllString(text, ""), -1) {
		all = append(all, Slug(heading))
	}
	return all
}

func TestRulesAreHeld(t *testing.T) {
	t.Parallel()
	repo := readSource(t)
	var exist map[string]bool
	if repo.isClone() {
		exist = repo.names()
	}
	all := All()
	if len(all) < 60 {
		t.Errorf("the pages have %d rules only", len(all))
	}
	for _, fault := range checkRules(all, exist) {
		t.Error(fault)
	}
	names, err := fs.Glob(Pages(), "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(Pages(), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, fault := range checkTags(name, string(text), all) {
			t.Error(fault)
		}
	}
}

// TestArchitectureNamesAllPackages compares the table of the domain with its directories.
func TestArchitectureNamesAllPackages(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(Pages(), "architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	for _, entry := range entries {
		if !entry.IsDir() || entry.Name() == "rules" || entry.Name() == "testdata" {
			continue
		}
		if !strings.Contains(string(text), "["+entry.Name()+"](../"+entry.Name()+")") {
			t.Errorf("the table of the domain in architecture.md lacks the package %s", entry.Name())
		}
		named++
	}
	if named < 10 {
		t.Errorf("the domain has %d packages only", named)
	}
}

func TestCitedRulesExist(t *testing.T) {
	t.Parallel()
	known := func(tag string) bool {
		_, ok := Find(tag)
		return ok
	}
	cited := 0
	for file, text := range readSource(t).files {
		cited += len(Cited(text))
		for _, fault := range checkCitations(file, text, known) {
			t.Error(fault)
		}
	}
	for _, fault := range checkPort(readSource(t).files) {
		t.Error(fault)
	}
	if cited < 100 {
		t.Errorf("the sources cite %d rules only", cited)
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	repo := readSource(t)
	read := func(file string) (string, error) {
		if text, ok := repo.files[file]; ok {
			return text, nil
		}
		_, err := os.Stat(filepath.Join(repo.root, filepath.FromSlash(file)))
		return "", err
	}
	prefix := folder
	if !repo.isClone() {
		prefix = "rules/"
	}
	for file, text := range repo.files {
		if !strings.HasPrefix(file, prefix) || path.Ext(file) != ".md" {
			continue
		}
		for _, fault := range checkLinks(file, text, read) {
			if repo.isClone() || !strings.Contains(fault, "../..") { // other modules are elsewhere
				t.Error(fault)
			}
		}
	}
}

// TestIndexIsComplete holds the list of the README against the pages.
func TestIndexIsComplete(t *testing.T) {
	t.Parallel()
	text, err := fs.ReadFile(Pages(), "README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range All() {
		tag := strings.TrimPrefix(r.Tag, "spec ")
		row := fmt.Sprintf("| [%s](%s#%s) | %s |\n", tag, r.Page, r.Anchor, r.Title)
		if r.Page != "predicates.md" && !strings.Contains(string(text), row) {
			t.Errorf("domain/rules/README.md lacks the row %q", row)
		}
	}
	names, err := fs.Glob(Pages(), "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if name != "README.md" && !strings.Contains(string(text), "("+name+")") {
			t.Errorf("domain/rules/README.md has no link to %s", name)
		}
	}
}

// The page of these tests has one fault of each kind. Tags are put together, so that
// this file does not cite them.
const brokenPage = `# Broken

<a id="da"></a>
## D` + `91 First

Why: It is the first.

Cases: ` + "`HTTP-NONE-001`, `HTTP-W1-001`" + `

<a id="db"></a>
## D` + `92 Second

[a](#da) [b](#dx) [c](missing.md) [d](other.md#x) [e](other.md#y-z) [f](https://example.org/#q)

<a id="untagged"></a>
## Without a number

<a id="dc"></a>
## D` + `91 Twice

Why: It is a mistake.

No case: it is a mistake.
`

func TestBrokenPagesAreFound(t *testing.T) {
	t.Parallel()
	all := parse("broken.md", brokenPage)
	exist := map[string]bool{"HTTP-W1-001": true}
	read := func(file string) (string, error) {
		if file == "other.md" {
			return "# Y z\n", nil
		}
		return "", fs.ErrNotExist
	}
	known := func(tag string) bool { return tag == "W1" }
	faults := slices.Concat(
		checkRules(all, exist),
		checkTags("broken.md", brokenPage, all),
		checkLinks("broken.md", brokenPage, read),
		checkPort(map[string]string{"domain/store/store.go": "(COM-001), (NEW-001), SHA-256", "x.go": "COM-001, COM" + "-999, HTTP-COM" + "-998"}),
		checkCitations("domain/predicate/x.go", "// Section 8, (section 9), RFC 9110", known),
		checkCitations("x.go", "// W1\n// D"+"93, spec section 2", known),
	)
	want := []string{
		"no case or test HTTP-NONE-001", "the reason is missing", "no case or test holds it", "another rule has this tag", "\"## Without a number\" has no tag",
		"no anchor #dx", "missing.md", "no anchor #x",
		"no section NEW",
		"x.go cites COM" + "-999",
		"domain/predicate/x.go:1 cites query language sec" + "tion 9",
		"x.go:2 cites D" + "93", "x.go:2 cites spec section 2",
	}
	if len(faults) != len(want) {
		t.Errorf("%d faults were found where %d were planted:\n%s", len(faults), len(want), strings.Join(faults, "\n"))
	}
	for _, part := range want {
		if !slices.ContainsFunc(faults, func(f string) bool { return strings.Contains(f, part) }) {
			t.Errorf("no fault says %q", part)
		}
	}
}

func TestCited(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"nothing, RFC 9110, section 15.1": nil,
		"spec section 2, D3":              {"D3", "spec section 2"},
		"Spec sections 1 and 4, D1":       {"D1", "spec section 1", "spec section 4"},
		"W2 to W8":                        {"W2", "W8"},
		"query language sections 3, 5 and 6": {
			"query language section 3", "query language section 5", "query language section 6",
		},
		"(sections 3 and 4 of the query language)": {"query language section 3", "query language section 4"},
		"D18, D18":             {"D18"},
		"UUD1, D123, pts_0D1x": nil,
	} {
		if got := Cited(text); !slices.Equal(got, want) {
			t.Errorf("%q cites %q, want %q", text, got, want)
		}
	}
}

func TestLinksOfSources(t *testing.T) {
	t.Parallel()
	const base = "https://github.com/problemtracking/problems/blob/main/domain/rules/"
	for text, want := range map[string][]string{
		"the suite":                            nil,
		"D20, RFC 9110":                        {base + "requests.md#d20", "https://www.rfc-editor.org/rfc/rfc9110"},
		"spec sections 2 and 4, D19":           {base + "requests.md#d19", base + "api.md#section-2", base + "api.md#section-4"},
		"D31, query language":                  {base + "operations.md#d31", base + "predicates.md"},
		"package store, Store.Commit, COM-002": {base + "store.md#com"},
		"package store, Store, NONE-002":       nil,
	} {
		if got := Links(text); !slices.Equal(got, want) {
			t.Errorf("%q has the links %q, want %q", text, got, want)
		}
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	r, ok := Find("D19")
	if !ok || r.Title != "Transitions" || r.Path() != "domain/rules/requests.md#d19" || r.URL() != URL("requests.md", "d19") ||
		!strings.Contains(r.Text, "transition-not-allowed") || r.Why == "" || len(r.Tests) == 0 {
		t.Errorf("D19 is %+v, %v", r, ok)
	}
	if r, ok := Find("D" + "99"); ok {
		t.Errorf("there is a rule %+v", r)
	}
}

func TestSectionsOfTheQueryLanguage(t *testing.T) {
	t.Parallel()
	const page = "# Language\n\n## 1 Words\n\n## 2. Grammar\n\n<a id=\"any\"></a>\n### ANY and ALL\n\n<a id=\"three\"></a>\n## Section 3: Types\n"
	var got []string
	for _, r := range parse("predicates.md", page) {
		got = append(got, r.Tag+" "+r.Path())
	}
	want := []string{
		"query language section 1 domain/rules/predicates.md#1-words",
		"query language section 2 domain/rules/predicates.md#2-grammar",
		"query language section 3 domain/rules/predicates.md#three",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the rules are %q, want %q", got, want)
	}
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for heading, want := range map[string]string{
		"## 4 Semantics":              "4-semantics",
		"### All rules":               "all-rules",
		"# How it's built: *quickly*": "how-its-built-quickly",
		"## 2. `IN`, and lists":       "2-in-and-lists",
	} {
		if got := Slug(heading); got != want {
			t.Errorf("%q has the anchor %q, want %q", heading, got, want)
		}
	}
}
