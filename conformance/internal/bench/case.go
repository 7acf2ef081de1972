package bench

import (
	"strings"

	"github.com/problemtracking/problems/conformance/report"
)

// Case is one demand of the contract, with the check that a store meets it.
type Case struct {
	// ID never changes. It begins with the tag of the rule in the comments
	// of package store. What follows a slash tells apart the cases of one
	// rule.
	ID string
	// Rule says in words what must hold.
	Rule string
	// Profile is the group that reports count the case in.
	Profile string

	// Durable cases concern only stores that are declared durable, and
	// Fleeting ones only those that are declared not to be.
	Durable, Fleeting bool
	// Shared cases concern only stores that are declared shared, and work
	// with two handles on the same data. Alone cases concern only those that
	// are declared not to be shared.
	Shared, Alone bool
	// Crash cases need Harness.Crash. They concern durable stores.
	Crash bool
	// PowerCut cases are Crash cases that have writes lost which were not
	// synced.
	PowerCut bool
	// Replicated cases concern only stores that are declared replicated. They
	// make a store by Harness.Replicate instead of Harness.Open.
	Replicated bool
	// Seeded cases make random choices, so that running them again with
	// another seed shows more.
	Seeded bool

	Run func(*Bench)
}

// Level returns how much the case weighs: cases that need a capability which a
// store may lack are extended, all others are core.
func (c Case) Level() report.Level {
	if c.Durable || c.Shared || c.Replicated {
		return report.Extended
	}
	return report.Core
}

// Tag returns the tag of the rule in the comments of package store, such as
// COM-002.
func (c Case) Tag() string {
	tag, _, _ := strings.Cut(c.ID, "/")
	return tag
}

// Source says where the rule stands.
func (c Case) Source() string {
	kind, _, _ := strings.Cut(c.ID, "-")
	place := map[string]string{
		"COM": "Store.Commit", "OUT": "Store.Outcome", "CONF": "Store.Confirm", "VIEW": "Store.View", "ID": "Store.Reserve",
		"RES": "Store.Restore", "CLOSE": "Store.Close", "VER": "Versions", "READ": "Reader", "LAST": "LastReader", "FIND": "Reader.Search",
	}[kind]
	if place == "" {
		place = "Store"
	}
	return "package store, " + place + ", " + c.Tag()
}
