package web

import (
	"net/url"
	"strconv"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker"
)

const (
	// mostCounted is how many queries have a number, and mostCount the greatest number.
	mostCounted, mostCount = 8, 99
)

// showCounts shows the queries, the first of them with the number of their problems. A script puts
// the numbers beside the list.
func showCounts(q *request) (answer, error) {
	view, _, _, err := q.newListPage(url.Values{}, "/problems")
	if err != nil {
		return answer{}, err
	}
	left := mostCounted
	for _, all := range [][]queryLink{view.Classics, view.Team, view.Saved} {
		for i := range all {
			if all[i].predicate == "" || left == 0 {
				continue
			}
			left--
			if all[i].Count, err = q.amount(all[i].predicate); err != nil {
				return answer{}, err
			}
		}
	}
	view.Title = q.say("list.queries")
	return page("counts", view), nil
}

// amount returns the number of problems that meet a predicate, as text. One that the service refuses
// has no number.
func (q *request) amount(text string) (string, error) {
	n, all, err := q.countTo(text, mostCount)
	switch {
	case refusedPredicate(err), fault.Is(err, fault.QueryTooExpensive):
		return "", nil
	case err != nil:
		return "", err
	case !all:
		return strconv.Itoa(n) + "+", nil
	}
	return strconv.Itoa(n), nil
}

// countTo counts the problems that meet a predicate. all is false when there are more than most.
func (q *request) countTo(text string, most int) (n int, all bool, err error) {
	cmd := tracker.SearchProblems{Search: searchFor(text, ""), CountTo: most}
	cmd.Limit = patch.Set(int64(1))
	found, err := q.as().Search(q.context(), cmd)
	return found.Count, found.CountedAll, err
}
