package etag

import (
	"reflect"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

func TestIfMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		header []string
		want   *tracker.Match // nil: refused
	}{
		{[]string{`*`}, &tracker.Match{Any: true}},
		{[]string{` * `}, &tracker.Match{Any: true}},
		{[]string{`"12"`}, &tracker.Match{Revisions: []int64{12}}},
		{[]string{`"12.14.7"`}, &tracker.Match{Revisions: []int64{12}}},
		{[]string{`"12.14.7.0123456789abcdef"`}, &tracker.Match{Made: []tracker.Made{{Revision: 12, By: [4]byte{0x01, 0x23, 0x45, 0x67}}}}},
		{[]string{`"12.14.past.0123456789abcdef", "13"`}, &tracker.Match{Revisions: []int64{13}, Made: []tracker.Made{{Revision: 12, By: [4]byte{0x01, 0x23, 0x45, 0x67}}}}},
		{[]string{`"12.14.7.0123456789abcde"`}, &tracker.Match{}},
		{[]string{`"12.14.7.0123456x89abcdef"`}, &tracker.Match{}},
		{[]string{`"1","2" , "3.1.0"`}, &tracker.Match{Revisions: []int64{1, 2, 3}}},
		{[]string{`"1"`, `"2"`}, &tracker.Match{Revisions: []int64{1, 2}}},
		{[]string{`,"1",,`}, &tracker.Match{Revisions: []int64{1}}},
		{[]string{`W/"12"`}, &tracker.Match{Weak: []int64{12}}},
		{[]string{`W/"12", "13"`}, &tracker.Match{Revisions: []int64{13}, Weak: []int64{12}}},
		{[]string{`W/"12.14.7.0123456789abcdef-gzip"`}, &tracker.Match{Weak: []int64{12}}},
		{[]string{`"12.14.7.0123456789abcdef-gzip"`}, &tracker.Match{Made: []tracker.Made{{Revision: 12, By: [4]byte{0x01, 0x23, 0x45, 0x67}}}}},
		{[]string{`"12.14.7.0123456789abcdef--gzip"`}, &tracker.Match{Made: []tracker.Made{{Revision: 12, By: [4]byte{0x01, 0x23, 0x45, 0x67}}}}},
		{[]string{`"1-br", "2;gzip", "3:zstd", "4-deflate", "5-x", "6-gzip-gzip", "7---gzip", "8-GZIP", "9gzip"`}, &tracker.Match{Revisions: []int64{1, 2, 3, 4}}},
		{[]string{`"abc"`}, &tracker.Match{}},
		{[]string{`"c14"`}, &tracker.Match{}},
		{[]string{`"a,b"`}, &tracker.Match{}},
		{[]string{`"012"`}, &tracker.Match{}},
		{[]string{`"+12"`}, &tracker.Match{}},
		{[]string{`"99999999999999999999"`}, &tracker.Match{}},
		{[]string{`""`}, &tracker.Match{}},
		{[]string{``}, nil},
		{[]string{`,`}, nil},
		{[]string{`12`}, nil},
		{[]string{`"12`}, nil},
		{[]string{`12"`}, nil},
		{[]string{`"1" "2"`}, nil},
		{[]string{`"1"2`}, nil},
		{[]string{`w/"12"`}, nil},
		{[]string{`"1 2"`}, nil},
		{[]string{`*, "1"`}, nil},
	} {
		list, err := Parse(c.header)
		if c.want == nil {
			if err == nil {
				t.Errorf("%q: read as %v", c.header, list)
			}
			continue
		}
		if got := list.Match(); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %v, %v; not %v", c.header, got, err, c.want)
		}
	}
}

func TestIfNoneMatch(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]bool{
		`*`:                     true,
		`"3.14.6"`:              true,
		`W/"3.14.6"`:            true,
		`"1", "3.14.6"`:         true,
		`"3.14.6-gzip"`:         true,
		`W/"3.14.6--gzip"`:      true,
		`"3.14.7", "3.14.6-br"`: true,
		`"3.14.7-gzip"`:         false,
		`"3.14.6-gzip2"`:        false,
		`"3"`:                   false,
		`"3.14.7"`:              false,
		`"3.14.6.01234567"`:     false,
	} {
		list, err := Parse([]string{header})
		if err != nil || list.Has(`"3.14.6"`) != want {
			t.Errorf("%s: %v, %v", header, !want, err)
		}
	}
}

// A 304 must never hide a change of what would be shown (D20).
func TestProblemTagChangesWithWhatIsShown(t *testing.T) {
	t.Parallel()
	type names struct { // what is shown of a catalogue
		version ident.Version
		user    string
	}
	base := func() (snapshot.Snapshot, names) {
		s := samples.Snapshot()
		a, b := samples.Related(), samples.Related()
		a.OtherTitle, b.OtherTitle = "one", "two"
		s.Relationships = []snapshot.Related{a, b}
		return s, names{samples.Version, "Ann"}
	}
	seen := map[string]string{}
	for name, change := range map[string]func(*snapshot.Snapshot, *names){
		"nothing":                      func(*snapshot.Snapshot, *names) {},
		"revision":                     func(s *snapshot.Snapshot, _ *names) { s.Revision = 31 },
		"catalogue":                    func(_ *snapshot.Snapshot, n *names) { n.version.Number = 4 },
		"catalogue of another history": func(_ *snapshot.Snapshot, n *names) { n.version.Batch, n.user = samples.Identifier(90), "Anne" },
		"revision of another history":  func(s *snapshot.Snapshot, _ *names) { s.Batch = samples.Identifier(90) },
		"watching":                     func(s *snapshot.Snapshot, _ *names) { s.Watching = true },
		"read":                         func(s *snapshot.Snapshot, _ *names) { s.Read = false },
		"readByAssignee":               func(s *snapshot.Snapshot, _ *names) { s.ReadByAssignee = false },
		"title of another":             func(s *snapshot.Snapshot, _ *names) { s.Relationships[1].OtherTitle = "three" },
		"titles cut anew": func(s *snapshot.Snapshot, _ *names) {
			s.Relationships[0].OtherTitle, s.Relationships[1].OtherTitle = "onet", "wo"
		},
		"titles swapped": func(s *snapshot.Snapshot, _ *names) {
			s.Relationships[0].OtherTitle, s.Relationships[1].OtherTitle = "two", "one"
		},
		"state of another":    func(s *snapshot.Snapshot, _ *names) { s.Relationships[0].OtherState = ident.None },
		"no others are shown": func(s *snapshot.Snapshot, _ *names) { s.Relationships = nil },
	} {
		s, shown := base()
		change(&s, &shown)
		tag := Problem(s, metadata.NewCatalogue(shown.version, metadata.Content{Users: []user.User{{ID: samples.Identifier(1), Name: shown.user}}}))
		if other, ok := seen[tag]; ok {
			t.Errorf("%s and %s have the same tag %s", name, other, tag)
		}
		seen[tag] = name
		list, err := Parse([]string{tag})
		if err != nil || !list.Has(tag) || !reflect.DeepEqual(list.Match(), &tracker.Match{Made: []tracker.Made{tracker.MadeOf(s)}}) {
			t.Errorf("%s: the tag %s does not give back the revision %d: %v", name, tag, s.Revision, err)
		}
	}
}

// Tags outlive a move to another store, which gives the catalogue another batch and
// changes nothing that is shown (D20). A name that differs is another history.
func TestTagsOutliveAMove(t *testing.T) {
	t.Parallel()
	if c := samples.Catalogue(); Past(samples.Snapshot(), c, 3) == Past(samples.Snapshot(), c, 4) {
		t.Error("the tag of a past revision does not change with the current revision")
	}
	tags := func(batch ident.ID, name string) [3]string {
		c := metadata.NewCatalogue(ident.Version{Number: 14, Batch: batch}, metadata.Content{Users: []user.User{{ID: samples.Identifier(1), Name: name}}})
		return [3]string{Problem(samples.Snapshot(), c), Past(samples.Snapshot(), c, 3), Catalogue(c)}
	}
	here, moved, another := tags(samples.Identifier(90), "Ann"), tags(samples.Identifier(91), "Ann"), tags(samples.Identifier(90), "Anne")
	for i := range here {
		if here[i] != moved[i] {
			t.Errorf("the tag %s becomes %s", here[i], moved[i])
		}
		if here[i] == another[i] {
			t.Errorf("the tag %s is also that of another name", here[i])
		}
	}
}
