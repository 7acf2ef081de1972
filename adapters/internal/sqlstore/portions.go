package sqlstore

import (
	"context"

	"github.com/problemtracking/problems/domain/problem"
)

// A portion takes two passes over the table. The first finds the positions of the rows
// within the limits, from nothing but the lengths of their texts: a database knows these
// without reading the texts. The second reads the rows.

// logPortion and commentPortion take the problem, limit, skip, again the problem, and
// budget.
const (
	logPortion = "SELECT " + entryColumns + " FROM log JOIN (SELECT position AS row_position, sum(n) OVER (ORDER BY position) - n AS before FROM (" +
		"SELECT position, octet_length(field) + octet_length(old_value) + octet_length(new_value) + ? AS n FROM log WHERE problem = ? ORDER BY position LIMIT ? OFFSET ?" +
		") AS sized) AS sums ON position = row_position WHERE problem = ? AND before < ? ORDER BY position"
	commentPortion = "SELECT " + commentColumns + " FROM comments JOIN (SELECT position AS row_position, sum(n) OVER (ORDER BY position) - n AS before FROM (" +
		"SELECT position, octet_length(text) + coalesce(octet_length(html), 0) + ? AS n FROM comments WHERE problem = ? ORDER BY position LIMIT ? OFFSET ?" +
		") AS sized) AS sums ON position = row_position WHERE problem = ? AND before < ? ORDER BY position"
)

func portion(id problem.ID, skip, limit int, budget int64) []any {
	return []any{problem.Overhead, int64(id), limit, skip, int64(id), budget}
}

// Log implements store.Reader.
func (r Reader) Log(ctx context.Context, id problem.ID, skip, limit int, budget int64) (log []problem.LogEntry, err error) {
	var into []any // for all rows
	q := rows(&log, func(scan func(...any) error, e *problem.LogEntry) error {
		e.Problem = id
		into = r.entryInto(into[:0], e)
		return inTable("log", id, scan(into...))
	}, logPortion, portion(id, skip, limit, budget)...)
	q.Long = true
	return log, r.Read(ctx, q)
}

// Comments implements store.Reader.
func (r Reader) Comments(ctx context.Context, id problem.ID, skip, limit int, budget int64) (comments []problem.Comment, err error) {
	q := rows(&comments, func(scan func(...any) error, c *problem.Comment) error {
		return inTable("comments", id, scan(r.commentInto(c)...))
	}, commentPortion, portion(id, skip, limit, budget)...)
	q.Long = true
	return comments, r.Read(ctx, q)
}
