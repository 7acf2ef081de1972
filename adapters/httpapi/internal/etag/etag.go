// Package etag makes the entity tags of representations, and reads the lists of If-Match and
// If-None-Match.
package etag

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

// Problem returns the entity tag of a problem's representation (D20). It changes with
// every part of the answer: the problem, the names of referenced objects, the caller's
// own marks, and the other problems shown. It begins with the revision. The first half of
// its last part comes from the revision's batch, to tell apart two histories with the
// same numbers. If-Match compares the revision and this half. The second half is a digest
// of the representation. A move of the store to another one changes none of them.
func Problem(s snapshot.Snapshot, c *metadata.Catalogue) string {
	flags := 0
	for bit, set := range []bool{s.Watching, s.Read, s.ReadByAssignee} {
		if set {
			flags |= 1 << bit
		}
	}
	return tagOf(s, c, strconv.Itoa(flags))
}

// Past returns the entity tag of a past representation of a problem (D36). Such a
// representation has no marks. Names and other problems are shown as they are today. The tag
// changes with the current revision, too (D20).
func Past(s snapshot.Snapshot, c *metadata.Catalogue, current int64) string {
	return tagOf(s, c, "past"+strconv.FormatInt(current, 10))
}

// Chosen returns the tag of a representation with the chosen members alone. If-Match takes it
// as it takes the whole one.
func Chosen(tag, fields string) string {
	const digest = 8 // digits, before the quote
	sum := sha256.Sum256([]byte(tag + fields))
	at := len(tag) - 1 - digest
	return tag[:at] + hex.EncodeToString(sum[:digest/2]) + `"`
}

func tagOf(s snapshot.Snapshot, c *metadata.Catalogue, marks string) string {
	tag := make([]byte, 0, 64)
	tag = strconv.AppendInt(append(tag, '"'), s.Revision, 10)
	tag = strconv.AppendInt(append(tag, '.'), c.Version.Number, 10)
	tag = append(append(tag, '.'), marks...)
	shown := make([]byte, 0, 64)
	shown = append(shown, s.Batch[:]...)
	names := c.Fingerprint()
	shown = append(shown, names[:]...)
	for _, r := range s.Relationships {
		shown = fmt.Appendf(shown, "%q%v", r.OtherTitle, r.OtherState)
	}
	digest := sha256.Sum256(shown)
	by := tracker.MadeOf(s).By
	tag = hex.AppendEncode(append(tag, '.'), by[:])
	tag = hex.AppendEncode(tag, digest[:4])
	return string(append(tag, '"'))
}

// Catalogue returns the entity tag of a representation of metadata alone (D30). Two
// histories with the same number share a tag only where their representations are equal.
func Catalogue(c *metadata.Catalogue) string {
	content := c.Fingerprint()
	return fmt.Sprintf(`"c%d.%x"`, c.Version.Number, content[:8])
}

// entityTag is an element of If-Match or If-None-Match.
type entityTag struct {
	weak   bool
	opaque string // without the quotes, and without the mark of a compression
}

// List is the value of If-Match or If-None-Match (RFC 9110, section 13.1).
type List struct {
	any  bool // "*"
	tags []entityTag
}

var errTags = errors.New("neither * nor a list of entity tags")

// Parse reads the lines of a header. It fails for a text that is neither * nor a list.
func Parse(lines []string) (List, error) {
	rest := httpframe.OwnTags(strings.Join(lines, ","))
	if strings.Trim(rest, " \t") == "*" {
		return List{any: true}, nil
	}
	var list List
	for {
		if rest = strings.TrimLeft(rest, " \t,"); rest == "" {
			break
		}
		var tag entityTag
		rest, tag.weak = strings.CutPrefix(rest, "W/")
		quoted, ok := strings.CutPrefix(rest, `"`)
		opaque, after, closed := strings.Cut(quoted, `"`)
		after = strings.TrimLeft(after, " \t")
		if !ok || !closed || strings.ContainsFunc(opaque, func(c rune) bool { return c <= ' ' || c == 0x7f }) || after != "" && after[0] != ',' {
			return List{}, errTags
		}
		tag.opaque, rest = opaque, after
		list.tags = append(list.tags, tag)
	}
	if len(list.tags) == 0 {
		return List{}, errTags
	}
	return list, nil
}

// Has reports whether the list has the tag, by the weak comparison of If-None-Match.
func (l List) Has(tag string) bool {
	for _, t := range l.tags {
		if `"`+t.opaque+`"` == tag {
			return true
		}
	}
	return l.any
}

// Match returns the revisions allowed by an If-Match list. Our own tags give a revision,
// with its batch if the tag includes one. Bare revisions count too. A weak tag allows
// none: its revision is apart. A foreign tag has none.
func (l List) Match() *tracker.Match {
	m := &tracker.Match{Any: l.any}
	for _, t := range l.tags {
		parts := strings.Split(t.opaque, ".")
		n, err := strconv.ParseInt(parts[0], 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != parts[0] {
			continue
		}
		if t.weak {
			m.Weak = append(m.Weak, n)
			continue
		}
		made := tracker.Made{Revision: n}
		if len(parts) != tagParts {
			m.Revisions = append(m.Revisions, n)
		} else if last := parts[tagParts-1]; len(last) == 4*len(made.By) {
			if _, err := hex.Decode(made.By[:], []byte(last[:2*len(made.By)])); err == nil {
				m.Made = append(m.Made, made)
			}
		}
	}
	return m
}

// tagParts is the number of parts in a problem's tag. Older tags have fewer.
const tagParts = 4
