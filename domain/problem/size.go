package problem

// Overhead is the size of a keyword, a comment, a log entry or a savepoint beside its
// text, in bytes. It is about the size of its identifiers, times and names.
const Overhead = 256

// SavedSize returns the part of a savepoint with these fields in the size of its
// problem, in bytes.
func SavedSize(fields Fields) int64 { return Overhead + fields.TextSize() }

// Size returns the part of the keyword in the size of its problem, in bytes.
func (k Keyword) Size() int64 { return Overhead + int64(len(k.Name)+len(k.Value.String)) }

// Size returns the part of the comment in the size of its problem, in bytes.
func (c Comment) Size() int64 { return Overhead + int64(len(c.Text)+len(c.HTML.String)) }

// Size returns the part of the entry in the size of its problem, in bytes.
func (e LogEntry) Size() int64 { return Overhead + int64(len(e.Field)+len(e.From)+len(e.To)) }

// Size returns the size of a problem in bytes: its texts, and the sizes of its keywords,
// its comments, the records of its attachments and its log. Savepoints belong to the log and
// come on top: see SavedSize.
// Relationships and watchers have limits of their own, and each leaves an entry in the
// log.
func Size(fields Fields, keywords []Keyword, comments []Comment, attachments []Attachment, log []LogEntry) int64 {
	n := fields.TextSize()
	for _, k := range keywords {
		n += k.Size()
	}
	for _, c := range comments {
		n += c.Size()
	}
	for _, a := range attachments {
		n += a.Size()
	}
	for _, e := range log {
		n += e.Size()
	}
	return n
}
