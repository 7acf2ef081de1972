// Package rules holds the rules of the project as pages to read. Code and suites cite
// a rule by its tag, such as D10 or W1. The package finds the rule of a tag, and the
// address of its page.
package rules

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed *.md
var pages embed.FS

// Repository is the public address of the repository.
const Repository = "https://github.com/problemtracking/problems"

// folder is the path of the pages in the repository.
const folder = "domain/rules/"

// Pages returns the pages by their names, such as "requests.md".
func Pages() fs.FS { return pages }

// URL returns the public address of a page, or of an anchor on it. Both are names
// without a path or "#"; an empty anchor stands for the whole page.
func URL(page, anchor string) string { return Repository + "/blob/main/" + location(page, anchor) }

func location(page, anchor string) string {
	if anchor != "" {
		page += "#" + anchor
	}
	return folder + page
}

// Rule is one rule of a page.
type Rule struct {
	// Tag is the name that code cites: "D10", "W1", "spec section 2", "query
	// language section 4", or "COM" for the tags of the storage port that begin so.
	Tag   string
	Title string
	// Page and Anchor say where the rule stands, such as "requests.md" and "d10".
	Page, Anchor string
	// Text is the Markdown below the heading, up to the next rule.
	Text string
	// Cases are the IDs of the cases of the HTTP suite that cite the rule.
	Cases []string
	// Tests are the names of further Go tests that hold it.
	Tests []string
	// NoCase says why no case or test holds the rule; empty when one does.
	NoCase string
	// Why is the reason of the rule; empty when the page gives one for several.
	Why string
}

// URL returns the public address of the rule.
func (r Rule) URL() string { return URL(r.Page, r.Anchor) }

// Path returns the place of the rule in the repository, such as
// "domain/rules/requests.md#d10".
func (r Rule) Path() string { return location(r.Page, r.Anchor) }

// The headings of rules. Those of the numbered pages need no anchor of their own.
var (
	anchor  = regexp.MustCompile(`^<a id="([a-z0-9-]+)"></a>$`)
	heading = regexp.MustCompile(`^#{2,4} (?:§ ?|Section )?([A-Z]+[0-9]*|[0-9]+)\.?:? (.+)$`)
)

// numbered are the pages with numbered sections, and how their sections are cited.
var numbered = map[string]string{
	"api.md":        "spec section ",
	"predicates.md": "query language section ",
}

// All returns all rules, by page and in the order of the page.
func All() []Rule { return slices.Clone(book().all) }

// Find returns the rule of a tag.
func Find(tag string) (Rule, bool) {
	r, ok := book().byTag[tag]
	return r, ok
}

// Naming returns the rules with a word in backticks in their text, such as the slug of
// an error. They are in the order of All.
func Naming(word string) []Rule { return slices.Clone(byWord()[word]) }

// byWord has the rules with each word in backticks.
var byWord = sync.OnceValue(func() map[string][]Rule {
	found := make(map[string][]Rule)
	for _, r := range book().all {
		for _, word := range slices.Compact(slices.Sorted(slices.Values(codes(r.Text)))) {
			found[word] = append(found[word], r)
		}
	}
	return found
})

type index struct {
	all   []Rule
	byTag map[string]Rule
}

// book is the index of all pages.
var book = sync.OnceValue(func() index {
	names, err := fs.Glob(pages, "*.md")
	if err != nil {
		panic(err) // the pattern is constant
	}
	found := index{byTag: make(map[string]Rule)}
	for _, name := range names {
		text, err := pages.ReadFile(name)
		if err != nil {
			panic(err) // the file is embedded
		}
		found.all = append(found.all, parse(name, string(text))...)
	}
	for _, r := range found.all {
		if _, twice := found.byTag[r.Tag]; !twice { // the test of the pages reports the second one
			found.byTag[r.Tag] = r
		}
	}
	return found
})

// parse returns the rules of a page. A rule begins with an anchor and a heading, or
// with the heading of a numbered section.
func parse(page, text string) []Rule {
	var rules []Rule
	var id string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if match := anchor.FindStringSubmatch(line); match != nil {
			id = match[1]
			continue
		}
		match := heading.FindStringSubmatch(line)
		if match != nil && isRule(page, id, match[1]) {
			tag := match[1]
			if isNumber(tag) {
				tag = numbered[page] + tag
			}
			rules = append(rules, Rule{Tag: tag, Title: match[2], Page: page, Anchor: cmp.Or(id, Slug(line))})
		} else if len(rules) > 0 {
			rules[len(rules)-1].add(line)
		}
		if line != "" {
			id = ""
		}
	}
	return rules
}

// isRule reports whether a heading with this first word begins a rule. The page of the
// query language has headings such as "ANY", and its rules are its sections.
func isRule(page, anchor, word string) bool {
	if isNumber(word) {
		return anchor != "" || numbered[page] != ""
	}
	return anchor != "" && page != "predicates.md"
}

func isNumber(tag string) bool { return tag[0] >= '0' && tag[0] <= '9' }

var code = regexp.MustCompile("`([^`]+)`")

// add adds a line to the rule.
func (r *Rule) add(line string) {
	r.Text += line + "\n"
	label, rest, _ := strings.Cut(line, ": ")
	switch label {
	case "Cases":
		r.Cases = append(r.Cases, codes(rest)...)
	case "Tests":
		r.Tests = append(r.Tests, codes(rest)...)
	case "No case":
		r.NoCase = rest
	case "Why":
		r.Why = rest
	}
}

// codes returns the texts between backticks.
func codes(text string) (all []string) {
	for _, match := range code.FindAllStringSubmatch(text, -1) {
		all = append(all, match[1])
	}
	return all
}

var slugDrops = regexp.MustCompile(`[^\p{L}\p{N}\p{M}_ -]`)

// Slug returns the anchor that readers of Markdown give to a heading: in lower case,
// without punctuation, and with hyphens for spaces.
func Slug(heading string) string {
	heading = strings.ToLower(strings.TrimSpace(strings.TrimLeft(heading, "#")))
	return strings.ReplaceAll(slugDrops.ReplaceAllString(heading, ""), " ", "-")
}

// The forms of citations.
const list = `([0-9]+(?:, [0-9]+)*(?:,? and [0-9]+)?)`

var (
	citedTag      = regexp.MustCompile(`\b(?:D[0-9]{1,2}|[WR][0-9])\b`)
	citedSpec     = regexp.MustCompile(`(?i)\bspec(?:ification)? sections? ` + list)
	citedLanguage = regexp.MustCompile(`(?i)\bquery language sections? ` + list + `|\bsections? ` + list + ` of the query\b`)
	citedPort     = regexp.MustCompile(`(?:^|[^A-Z0-9-])([A-Z]+)-[0-9]{3}\b`)
	citedRFC      = regexp.MustCompile(`\bRFC ([0-9]+)\b`)
	digits        = regexp.MustCompile(`[0-9]+`)
)

// Cited returns the tags that a text cites, each once and in this order: decisions and
// operations, sections of the specification, sections of the query language.
func Cited(text string) []string {
	tags := citedTag.FindAllString(text, -1)
	for _, form := range []struct {
		expression *regexp.Regexp
		prefix     string
	}{{citedSpec, numbered["api.md"]}, {citedLanguage, numbered["predicates.md"]}} {
		for _, match := range form.expression.FindAllStringSubmatch(text, -1) {
			for _, number := range digits.FindAllString(strings.Join(match[1:], " "), -1) {
				tags = append(tags, form.prefix+number)
			}
		}
	}
	return unique(tags)
}

// Links returns the addresses of the rules and RFCs that the source of a case names,
// such as "spec section 2, D7" or "package store, Store.Commit, COM-002". Tags without
// a rule have none.
func Links(source string) []string {
	tags := Cited(source)
	for _, match := range citedPort.FindAllStringSubmatch(source, -1) {
		tags = append(tags, match[1])
	}
	var links []string
	for _, tag := range tags {
		if r, ok := Find(tag); ok {
			links = append(links, r.URL())
		}
	}
	if strings.Contains(source, "query language") && !slices.ContainsFunc(links, isLanguage) {
		links = append(links, URL("predicates.md", ""))
	}
	for _, match := range citedRFC.FindAllStringSubmatch(source, -1) {
		links = append(links, fmt.Sprintf("https://www.rfc-editor.org/rfc/rfc%s", match[1]))
	}
	return unique(links)
}

// isLanguage reports whether the address is on the page of the query language.
func isLanguage(link string) bool { return strings.HasPrefix(link, URL("predicates.md", "")) }

// unique returns the texts in their order, each once.
func unique(texts []string) []string {
	var once []string
	for _, text := range texts {
		if !slices.Contains(once, text) {
			once = append(once, text)
		}
	}
	return once
}
