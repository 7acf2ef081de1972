package problem

import "testing"

func TestSize(t *testing.T) {
	keyword := Keyword{Name: "größe", Value: Text("12")}
	comment := Comment{Text: "Hello", HTML: Text("<p>Hello</p>")}
	entry := LogEntry{Field: "title", From: `"a"`, To: `"bc"`}
	for _, c := range []struct {
		name string
		size int64
		want int64
	}{
		{"keyword", keyword.Size(), Overhead + 7 + 2},
		{"keyword without value", Keyword{Name: "x"}.Size(), Overhead + 1},
		{"comment", comment.Size(), Overhead + 5 + 12},
		{"entry", entry.Size(), Overhead + 5 + 3 + 4},
		{"savepoint", SavedSize(Fields{Title: "Slow"}), Overhead + 4},
		{"nothing but a title", Size(Fields{Title: "Slow"}, nil, nil, nil, nil), 4},
		{"all", Size(Fields{Title: "Slow"}, []Keyword{keyword}, []Comment{comment, comment}, []Attachment{{Name: "a.png", MediaType: "image/png", Bytes: 1 << 40}}, []LogEntry{entry}), 4 + 265 + 2*273 + 256 + 14 + 268},
	} {
		if c.size != c.want {
			t.Errorf("%s: %d bytes, want %d", c.name, c.size, c.want)
		}
	}
}
