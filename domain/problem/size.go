package problem

// Overhead is what a keyword, a comment, a log entry or a savepoint counts for beside
// its text, in bytes: about what its identifiers, times and names take.
const Overhead = 256

// SavedSize returns how many bytes a savepoint with these fields counts for in the size
// of its problem.
func SavedSize(fields Fields) int64 { return Overhead + fields.TextSize() }

// Size returns how many bytes the keyword counts for in the size of its problem.
func (k Keyword) Size() int64 { return Overhead + int64(len(k.Name)+len(k.Value.String)) }

// Size returns how many bytes the comment counts for in the size of its problem.
func (c Comment) Size() int64 { return Overhead + int64(len(c.Text)+len(c.HTML.String)) }

// Size returns how many bytes the entry counts for in the size of its problem.
func (e LogEntry) Size() int64 { return Overhead + int64(len(e.Field)+len(e.From)+len(e.To)) }

// Size returns how many bytes a problem counts for with all of these: its texts, and
// the sizes of its keywords, its comments and its log. Savepoints, which belong to the
// log, come on top: see SavedSize. Relationships and watchers have limits of their own,
// and each leaves an entry in the log.
func Size(fields Fields, keywords []Keyword, comments []Comment, log []LogEntry) int64 {
	n := fields.TextSize()
	for _, k := range keywords {
		n += k.Size()
	}
	for _, c := range comments {
		n += c.Size()
	}
	for _, e := range log {
		n += e.Size()
	}
	return n
}
