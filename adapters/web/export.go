package web

import (
	"bytes"
	"encoding/csv"
	"net/http"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/web/internal/links"
	"github.com/problemtracking/problems/domain/tracker"
)

// exportProblems sends all problems of a list, with its columns, as a table for spreadsheets.
func exportProblems(q *request) (answer, error) {
	view, sort, err := q.narrowedPage(q.r.URL.Query(), "/problems")
	if err != nil {
		return answer{}, err
	}
	text, _ := withWords(view.Predicate, view.Words)
	found, err := q.as().Search(q.context(), tracker.SearchProblems{Search: searchFor(text, sort)})
	if err != nil {
		return answer{}, err
	}
	var table bytes.Buffer
	w := csv.NewWriter(&table)
	record := []string{q.say("column.number"), q.say("column.title")}
	for _, c := range view.Shown {
		record = append(record, q.say("column."+c.Name))
	}
	_ = w.Write(record) // nothing fails before Flush
	var f *links.Filters
	for s, err := range problemsOf(found) {
		if err != nil {
			return answer{}, err
		}
		if f == nil || f.Catalogue != s.catalogue {
			f = links.NewFilters(q.base, s.catalogue)
		}
		record = append(record[:0], formatID(s.ID), harmless(s.Title))
		for _, c := range view.row(s.Snapshot, f).Cells {
			value := harmless(c.Text)
			if !c.Time.IsZero() {
				value = c.Time.UTC().Format(time.RFC3339)
			}
			record = append(record, value)
		}
		before := table.Cap()
		_ = w.Write(record)
		if grown := table.Cap() - before; grown > 0 {
			if err := q.room(int64(grown)); err != nil {
				return answer{}, err
			}
		}
	}
	w.Flush()
	return answer{stream: func() {
		q.w.Header().Set("Content-Type", "text/csv; charset=utf-8; header=present")
		q.w.Header().Set("Content-Disposition", `attachment; filename="problems.csv"`)
		httpframe.Send(q.w, q.r, http.StatusOK, table.Bytes())
	}}, w.Error()
}

// harmless returns a text that no spreadsheet takes for a formula: with an apostrophe before it.
func harmless(text string) string {
	if strings.IndexAny(text, "=+-@\t\r") == 0 {
		return "'" + text
	}
	return text
}
