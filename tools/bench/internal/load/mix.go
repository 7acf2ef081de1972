package load

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/dataset"
)

// Mix is a kind of load on a server.
type Mix struct {
	Name  string // short, as -mixes has it
	Title string // as tables have it
	// Next sends one request; nil: it is not sent over HTTP.
	Next func(w *worker) error
	// before, unless it is nil, prepares the targets.
	before func(w *worker, connections int) error
	// only, unless it is 0, is the only number of connections of the mix.
	only  int
	Wants wants
}

// wants names the contenders of a mix, beside the servers.
type wants uint8

const (
	WantsLimits wants = 1 << iota // the bare handler
	WantsLarge                    // the servers with the large data set
	WantsDisk                     // the disk, where there are most connections
)

// MostWorkers is how many writers comment.
const MostWorkers = 64

// mixes are all mixes, first the reading ones: they all meet the data set as loaded.
var mixes = []Mix{
	{Name: "load", Title: "load one problem, with its 10 log entries", Next: loadTen, Wants: WantsLimits},
	{Name: "load-any", Title: "load any problem of the data set", Next: loadAny, Wants: WantsLarge},
	{Name: "search", Title: "search: assigned to me and open, first 50", Next: search, Wants: WantsLarge},
	{Name: "page", Title: "search: the same by who owns three of ten problems", Next: fullPage, Wants: WantsLarge},
	{Name: "web-problem", Title: "client application: a problem with 100 log entries", Next: webProblem, Wants: WantsLarge},
	{Name: "web-open", Title: "client application: the list, all open problems", Next: webOpen, Wants: WantsLarge},
	{Name: "web-mine", Title: "client application: the list, assigned to me and open", Next: webMine, Wants: WantsLarge},
	{Name: "state", Title: "patch a state", Next: patchState, Wants: WantsLarge | WantsDisk},
	{Name: "keyword", Title: "set a keyword", Next: setKeyword},
	{Name: "comment", Title: "add a comment", Next: addComment},
	{Name: "relate", Title: "relate two problems", Next: relate},
	{Name: "day", Title: "a mixed day, 80 % reads", Next: mixedDay},
	{Name: "one", Title: "64 writers comment on one problem", Next: commentOnTarget, before: oneTarget, only: MostWorkers},
	{Name: "many", Title: "64 writers comment on a problem each", Next: commentOnTarget, before: manyTargets, only: MostWorkers},
	{Name: "create", Title: "create a problem", Next: create},
}

// At returns the numbers of connections to drive the mix with.
func (m Mix) At(connections []int) []int {
	if m.only > 0 {
		return []int{m.only}
	}
	return connections
}

func loadTen(w *worker) error {
	w.to("/problems/%d", w.scene.Tens[w.IntN(len(w.scene.Tens))])
	return w.ask("GET", "", nil, 200)
}

func loadAny(w *worker) error {
	w.to("/problems/%d", w.any())
	return w.ask("GET", "", nil, 200)
}

func loadComments(w *worker) error {
	w.to("/problems/%d/comments", w.any())
	return w.ask("GET", "", nil, 200)
}

var searchPath = "/problems/search?limit=50&predicate=" + url.QueryEscape("assignee.identifier = $ApiUser AND state.resolved = NO")

func search(w *worker) error {
	w.path = append(append(w.path[:0], API...), searchPath...)
	return w.ask("GET", "", nil, 200)
}

// fullPage searches as the user with more than a page of open problems in any data set:
// most others have less in a small one.
func fullPage(w *worker) error {
	w.path = append(append(w.path[:0], API...), searchPath...)
	return w.askAs(w.scene.tokens[dataset.Busiest], "GET", "", nil, 200)
}

// patchState closes a problem, or opens it again.
func patchState(w *worker) error {
	id := w.own()
	state := "Closed"
	if w.scene.closed[id] {
		state = "Open"
	}
	w.to("/problems/%d", id)
	w.text = fmt.Appendf(w.text[:0], `{"state":{"name":%q}}`, state)
	if err := w.ask("PATCH", asJSON, w.text, 200); err != nil {
		return err
	}
	w.scene.closed[id] = !w.scene.closed[id]
	return nil
}

// setKeyword sets one of ten keywords to a new value.
func setKeyword(w *worker) error {
	w.to("/problems/%d/keywords/measured-%d", w.any(), w.IntN(10))
	w.text = fmt.Appendf(w.text[:0], `"value %d"`, w.scene.values.Add(1))
	return w.ask("PUT", asJSON, w.text, 200, 201)
}

func addComment(w *worker) error { return w.commentOn(w.any()) }

// commentOn adds a comment, as long as a short paragraph.
func (w *worker) commentOn(id int64) error {
	w.to("/problems/%d/comments", id)
	w.text = fmt.Appendf(w.text[:0], "Comment %d says what was found out, in a sentence or two. It goes on for a while, as comments do.", w.scene.values.Add(1))
	return w.ask("POST", asText, w.text, 201)
}

// commentOnTarget comments on the worker's target, or on the only one.
func commentOnTarget(w *worker) error { return w.commentOn(w.scene.targets[w.n%len(w.scene.targets)]) }

func oneTarget(w *worker, _ int) error             { return w.makeTargets(1) }
func manyTargets(w *worker, connections int) error { return w.makeTargets(connections) }

// makeTargets creates problems for comments.
func (w *worker) makeTargets(n int) error {
	w.scene.targets = nil
	for range n {
		if err := create(w); err != nil {
			return err
		}
		var made struct{ Identifier int64 }
		if err := json.Unmarshal(w.body, &made); err != nil {
			return fmt.Errorf("the answer to POST /problems: %w", err)
		}
		w.scene.targets = append(w.scene.targets, made.Identifier)
	}
	return nil
}

// relate relates two random problems, from the smaller number to the greater one: so the server looks
// for a cycle, and finds none.
func relate(w *worker) error {
	one, other := w.any(), w.any()
	if one == other {
		other = one%w.scene.problems + 1
	}
	families := []string{"ParentOf", "OriginalOf", "CauseOf", "BlockerOf", "ClonedTo"}
	w.to("/problems/%d/relationships", min(one, other))
	w.text = fmt.Appendf(w.text[:0], `{"type":%q,"problemIdentifier":%d}`, families[w.IntN(len(families))], max(one, other))
	return w.ask("PUT", asJSON, w.text, 200, 201)
}

// create creates a problem with an assignee like those of the data set.
func create(w *worker) error {
	w.to("/problems")
	w.text = fmt.Appendf(w.text[:0], `{"title":"Problem %d, as somebody would describe it in a line","priority":{"name":"Normal"},"component":{"name":"Component %d"},"assignee":{"email":%q}}`,
		w.scene.values.Add(1), w.IntN(10), dataset.Email(dataset.Owner(w.Rand)))
	return w.ask("POST", asJSON, w.text, 201)
}

// mixedDay has the requests of a day: 80 of 100 are reads.
func mixedDay(w *worker) error {
	switch n := w.IntN(100); {
	case n < 50:
		return loadAny(w)
	case n < 65:
		return loadComments(w)
	case n < 80:
		return search(w)
	case n < 88:
		return addComment(w)
	case n < 93:
		return patchState(w)
	case n < 96:
		return setKeyword(w)
	case n < 98:
		return create(w)
	default:
		return relate(w)
	}
}

// ChooseMixes returns the mixes of these names, in their own order; "all" and "none" are
// names, too.
func ChooseMixes(names string) ([]Mix, error) {
	switch names {
	case "all":
		return mixes, nil
	case "none":
		return nil, nil
	}
	wanted := strings.Split(names, ",")
	for _, name := range wanted {
		if !slices.Contains(MixNames(), name) {
			return nil, fmt.Errorf("-mixes: there is no mix %q", name)
		}
	}
	return slices.DeleteFunc(slices.Clone(mixes), func(m Mix) bool { return !slices.Contains(wanted, m.Name) }), nil
}

// MixNames returns the names of all mixes, in the order of the table.
func MixNames() []string {
	names := make([]string, len(mixes))
	for i, m := range mixes {
		names[i] = m.Name
	}
	return names
}
