package archive

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/transfer"
)

// Version is the version of the format written by Write. A Reader reads every version from the
// oldest to this one. Each new kind or member makes another version.
const Version = 10

// oldest is the oldest version that can be read.
const oldest = 7

// memberSince gives the version of each member that is younger than the oldest version. In an
// earlier archive, such a member is null.
var memberSince = func() (since [transfer.KindEnd]map[string]version) {
	fields := make(map[string]version)
	for _, f := range problem.AllFields() {
		if f.Since > 0 {
			fields[f.Name] = version(f.Since)
		}
	}
	since[transfer.KindProblem], since[transfer.KindSavepoint] = fields, fields
	since[transfer.KindComment] = map[string]version{"via": 9, "editDate": 8, "editor": 8, "deleted": 8}
	since[transfer.KindLogEntry] = map[string]version{"via": 9}
	since[transfer.KindEvent] = map[string]version{"via": 9}
	since[transfer.KindUser] = map[string]version{"preferences": 10, "robotOf": 8}
	since[transfer.KindSavedQuery] = map[string]version{"columns": 10, "shared": 10}
	since[transfer.KindToken] = map[string]version{"invitation": 8, "name": 8, "lastUse": 8}
	return since
}()

// attachmentSince is the first version with records of attachments.
const attachmentSince = 8

// maxLine bounds a line, in bytes without the line feed, so a foreign file cannot fill
// the memory. The service takes bodies of at most 8 MiB. Normalised and escaped, such texts
// grow up to sevenfold in the line of an event.
const maxLine = 64 << 20

// maxInteger is the greatest integer with an exact value in every reader of JSON (RFC
// 8785, section 3.2.2.3).
const maxInteger = transfer.MaxInteger

// layout is the layout of times (D9).
const layout = "2006-01-02T15:04:05.000Z"

// The kinds of the first and the last line. They are not counted.
const (
	headerKind   = "header"
	manifestKind = "manifest"
)

// kindNames are the kinds of all lines but the last.
var kindNames = [transfer.KindEnd]string{
	headerKind, "state", "priority", "classification", "component", "milestone", "user", "token", "savedQuery", "webhook", "auditEntry",
	"problem", "savepoint", "logEntry", "comment", "keyword", "relationship", "watcher", "readMark", "attachment", "event",
}

// tally is the manifest's count of the lines of each kind.
type tally struct {
	counts [transfer.KindEnd]int64
	hashes [transfer.KindEnd]hash.Hash // SHA-256 of the lines, each with its line feed
}

func newTally() *tally {
	t := new(tally)
	for i := range t.hashes {
		t.hashes[i] = sha256.New()
	}
	return t
}

// add counts a line, unless it is the header.
func (t *tally) add(kind transfer.Kind, line []byte) {
	if kind == transfer.KindStart {
		return
	}
	t.counts[kind]++
	t.hashes[kind].Write(line) // never fails
}

// Summary says how much an archive holds.
type Summary struct {
	Problems int64
	Records  int64 // of all kinds, with the problems
}

func (t *tally) summary() Summary {
	s := Summary{Problems: t.counts[transfer.KindProblem]}
	for _, n := range t.counts {
		s.Records += n
	}
	return s
}

// manifestLine is the last line of an archive of a version.
func (t *tally) manifestLine(of version, next *problem.ID) object {
	var counts, sums object
	for kind := transfer.KindState; kind < transfer.KindEnd; kind++ {
		if kind == transfer.KindAttachment && of < attachmentSince {
			continue
		}
		name := kindNames[kind]
		counts = append(counts, member{name, count(t.counts[kind])})
		sums = append(sums, member{name, sum(hex.EncodeToString(t.hashes[kind].Sum(nil)))})
	}
	counts.sort()
	sums.sort()
	return object{
		{"counts", counts},
		{"kind", constant(manifestKind)},
		{"nextIdentifier", (*integer)(next)},
		{"sha256", sums},
		{"version", sameVersion(of)},
	}
}

func (o object) sort() {
	slices.SortFunc(o, func(a, b member) int { return strings.Compare(a.name, b.name) })
}

// version is the version of an archive's format.
type version int64

func (v *version) appendTo(b []byte) ([]byte, error) { return count(*v).appendTo(b) }

func (v *version) parse(raw jsontext.Value) error {
	var n integer
	switch err := n.parse(raw); {
	case err != nil:
		return err
	case n > Version:
		return fmt.Errorf("the format has version %d, and this program reads only up to version %d", n, Version)
	case n < oldest:
		return fmt.Errorf("the format has version %d, and this program reads none before version %d: export the data again with a later program", n, oldest)
	}
	*v = version(n)
	return nil
}

// sameVersion is the version, once more.
type sameVersion version

func (v sameVersion) appendTo(b []byte) ([]byte, error) { return count(v).appendTo(b) }

func (v sameVersion) parse(raw jsontext.Value) error {
	var n integer
	if err := n.parse(raw); err != nil {
		return err
	}
	if n != integer(v) {
		return fmt.Errorf("must be %d, as in the header", v)
	}
	return nil
}

// count is how many lines of a kind there are.
type count int64

func (v count) appendTo(b []byte) ([]byte, error) {
	n := integer(v)
	return n.appendTo(b)
}

func (v count) parse(raw jsontext.Value) error {
	var n integer
	if err := n.parse(raw); err != nil {
		return err
	}
	if n != integer(v) {
		return fmt.Errorf("is %d, but there are %d such lines: lines were lost or added", n, v)
	}
	return nil
}

// sum is the SHA-256 of the lines of a kind.
type sum string

func (v sum) appendTo(b []byte) ([]byte, error) { return constant(v).appendTo(b) }

func (v sum) parse(raw jsontext.Value) error {
	var d digest
	if err := d.parse(raw); err != nil {
		return err
	}
	if hex.EncodeToString(d[:]) != string(v) {
		return errors.New("is not that of the lines of this kind: they were changed")
	}
	return nil
}
