package web

import (
	"math"
	"net/url"
	"sort"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/history"
	"github.com/problemtracking/problems/adapters/web/internal/markdown"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

// timeline returns comments and log as one list.
func (q *request) timeline(of snapshot.Snapshot, log []problem.LogEntry, comments []problem.Comment, c *metadata.Catalogue) ([]history.Item, error) {
	r := q.reader()
	r.Pictures = q.pictures(of.ID, of.Attachments)
	return r.Items(log, comments, c)
}

// reader reads histories for the caller.
func (q *request) reader() history.Reader {
	return history.Reader{Markdown: q.markdown, Base: q.base, User: q.caller.User, All: q.caller.Scope.Covers(access.Admin), Writer: q.caller.Scope.Covers(access.Write), Problems: q.linked, Tokens: q.Service.TokenNames(q.context()), Room: q.room}
}

// linked returns the links to the problems with these numbers.
func (q *request) linked(numbers []int64) (map[int64]markdown.Link, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	var list []string
	for _, n := range numbers {
		list = append(list, strconv.FormatInt(n, 10))
	}
	found, err := q.as().Search(q.context(), tracker.SearchProblems{Search: tracker.Search{
		Predicate: patch.Set("identifier IN {" + strings.Join(list, ", ") + "}"), Limit: patch.Set(int64(history.MostReferences)),
	}})
	if err != nil {
		return nil, err
	}
	known := map[int64]markdown.Link{}
	for s, err := range problemsOf(found) {
		if err != nil {
			return nil, err
		}
		state, _ := s.catalogue.State(s.State)
		known[int64(s.ID)] = markdown.Link{URL: q.base + "/problems/" + formatID(s.ID), Title: s.Title, Done: state.Resolved}
	}
	return known, nil
}

// portion is how many entries of the log a page of a large problem has, and mostShown how many
// bytes they and their comments have. It has one entry at least.
const (
	portion   = 100
	mostShown = 1 << 20
)

// stretch is a part of the timeline of a large problem: entries of the log, and the
// comments among them. The ends are numbers of entries, and of comments, from the first.
type stretch struct {
	from, to                 int
	fromComments, toComments int
	log                      []problem.LogEntry
	onward                   bool // it begins with a given entry, and else it ends with one
}

// portions fills the timeline of a large problem with a part of it: the latest one, or
// the one in the address. An address has the number of entries, and of comments among
// them: those before the part, or those up to its end.
func (q *request) portions(view *problemPage, a tracker.Answer[snapshot.Snapshot]) error {
	at, latest, err := q.stretch(a.Value)
	if err != nil {
		return err
	}
	entries := len(at.log)
	comments, err := q.fit(a.Value, &at)
	if err != nil {
		return err
	}
	latest = latest && (!at.onward || len(at.log) == entries)
	here := q.base + "/problems/" + formatID(a.Value.ID)
	link := func(name string, entries, comments int) string {
		return here + "?" + url.Values{name: {strconv.Itoa(entries)}, "comments": {strconv.Itoa(comments)}}.Encode() + "#history"
	}
	if at.from > 0 {
		view.Earlier = link("before", at.from, at.fromComments)
	}
	if !latest {
		view.Later, view.Newest = link("log", at.to, at.toComments), here+"#history"
	}
	view.Timeline, err = q.timeline(a.Value, at.log, comments, a.Catalogue)
	return err
}

// stretch returns the part in the address, and whether it is the latest one.
func (q *request) stretch(s snapshot.Snapshot) (at stretch, latest bool, err error) {
	numbers := map[string]int{}
	for _, name := range []string{"log", "before", "comments"} {
		if numbers[name], err = q.count(name); err != nil {
			return at, false, err
		}
	}
	if q.r.URL.Query().Has("log") {
		at.onward = true
		at.from, at.fromComments = numbers["log"], numbers["comments"]
		if at.log, err = q.entries(s, at.from, portion+1); err != nil {
			return at, false, err
		}
		latest = len(at.log) <= portion
		at.log = at.log[:min(len(at.log), portion)]
		at.to, at.toComments = at.from+len(at.log), at.fromComments+commentsIn(at.log)
		return at, latest, nil
	}
	at.to, at.toComments = numbers["before"], numbers["comments"]
	if latest = !q.r.URL.Query().Has("before"); latest {
		if at.to, at.toComments, err = q.as().Lengths(q.context(), s); err != nil {
			return at, false, err
		}
	}
	at.from = max(0, at.to-portion)
	if at.log, err = q.entries(s, at.from, at.to-at.from); err != nil {
		return at, false, err
	}
	at.fromComments = max(0, at.toComments-commentsIn(at.log))
	return at, latest, nil
}

// fit returns the comments of a stretch. It shortens the stretch to mostShown bytes.
func (q *request) fit(s snapshot.Snapshot, at *stretch) ([]problem.Comment, error) {
	comments, fits, err := q.comments(s, *at)
	if fits || err != nil {
		return comments, err
	}
	// The sizes of comments are known once they are read. So the length is found by trying.
	n := len(at.log)
	without := sort.Search(n-1, func(without int) bool {
		if err == nil {
			_, fits, err = q.comments(s, at.part(n-without))
		}
		return fits
	})
	if err != nil {
		return nil, err
	}
	*at = at.part(n - without)
	comments, _, err = q.comments(s, *at)
	return comments, err
}

// part returns the first entries of a stretch that goes onward, and the last ones of another.
func (at stretch) part(entries int) stretch {
	if at.onward {
		at.log = at.log[:entries]
		at.to, at.toComments = at.from+entries, at.fromComments+commentsIn(at.log)
		return at
	}
	at.log = at.log[len(at.log)-entries:]
	at.from, at.fromComments = at.to-entries, max(0, at.toComments-commentsIn(at.log))
	return at
}

// comments returns the comments of a stretch, and whether it has at most mostShown bytes. It
// reads no further than that.
func (q *request) comments(s snapshot.Snapshot, at stretch) (comments []problem.Comment, fits bool, err error) {
	size := 0
	for _, e := range at.log {
		size += len(e.From) + len(e.To)
	}
	most := at.toComments - at.fromComments
	if most <= 0 {
		return nil, size <= mostShown, nil
	}
	for part, err := range q.as().Comments(q.context(), s, at.fromComments, most) {
		if err != nil {
			return nil, false, err
		}
		for _, c := range part {
			size += len(c.Text) + len(c.HTML.String)
		}
		comments = append(comments, part...)
		if size > mostShown {
			break
		}
	}
	return comments, size <= mostShown, nil
}

// entries returns entries of the log.
func (q *request) entries(s snapshot.Snapshot, skip, most int) (log []problem.LogEntry, err error) {
	if most == 0 {
		return nil, nil
	}
	for part, err := range q.as().Log(q.context(), s, skip, most) {
		if err != nil {
			return nil, err
		}
		log = append(log, part...)
	}
	return log, nil
}

// commentsIn returns how many of the entries are comments.
func commentsIn(log []problem.LogEntry) (n int) {
	for _, e := range log {
		if e.Type == problem.CommentAdded {
			n++
		}
	}
	return n
}

// count returns a number in the query; 0 when it is left out.
func (q *request) count(name string) (int, error) {
	text := q.r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > math.MaxInt32 {
		return 0, fault.New(fault.MalformedRequest, "%s has to be a whole number", name)
	}
	return n, nil
}
