package archive_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/transfer"
)

// in replaces text on a line, and perhaps more, and makes the manifest anew.
func in(line int, old, replacement string, more ...string) string {
	lines := slices.Clone(body)
	for pair := range slices.Chunk(append([]string{old, replacement}, more...), 2) {
		changed := strings.Replace(lines[line-1], pair[0], pair[1], 1)
		if changed == lines[line-1] {
			return "the line does not have " + pair[0]
		}
		lines[line-1] = changed
	}
	return whole(lines, 8)
}

// inManifest replaces text in the manifest.
func inManifest(old, replacement string) string {
	last := manifest(body, 8)
	changed := strings.Replace(last, old, replacement, 1)
	if changed == last {
		return "the manifest does not have " + old
	}
	return strings.Join(body, "\n") + "\n" + changed + "\n"
}

// late replaces text on a line below a manifest that knows nothing of it.
func late(line int, old, replacement string) string {
	lines := slices.Clone(body)
	lines[line-1] = strings.Replace(lines[line-1], old, replacement, 1)
	return strings.Join(lines, "\n") + "\n" + manifest(body, 8) + "\n"
}

var good = whole(body, 8)

const ids = "01900000-0000-7000-8000-0000000000"

// damages are archives that are refused.
var damages = []struct {
	name   string
	text   string
	line   int64
	field  string
	reason string // how it begins
}{
	// The file.
	{"nothing", "", 1, "", "is missing: an archive begins with a header"},
	{"an empty line first", "\n" + good, 1, "", "is empty"},
	{"an empty line", strings.Replace(good, "\n", "\n\n", 1), 2, "", "is empty"},
	{"a byte order mark", "\ufeff" + good, 1, "", "begins with a byte order mark"},
	{"CR LF", strings.ReplaceAll(good, "\n", "\r\n"), 1, "", "ends with CR LF"},
	{"no line feed at the end", strings.TrimSuffix(good, "\n"), 28, "", "ends without a line feed"},
	{"cut off within a line", good[:len(good)/2], int64(strings.Count(good[:len(good)/2], "\n")) + 1, "", "ends without a line feed"},
	{"cut off between lines", strings.Join(body[:20], "\n") + "\n", 21, "", "is missing: the archive ends without its manifest"},
	{"cut off after the header", body[0] + "\n", 2, "", "is missing: the archive ends without its manifest"},
	{"more after the manifest", good + body[1] + "\n", 29, "", "comes after the manifest"},
	{"another archive after the manifest", good + good, 29, "", "comes after the manifest"},
	{"an empty line after the manifest", good + "\n", 29, "", "comes after the manifest"},
	{"a line that is too long", body[0] + "\n" + strings.Repeat("x", 64<<20+1) + "\n", 2, "", "is longer than a line can be"},
	{"a file without lines", strings.Repeat("x", 65<<20), 1, "", "is longer than a line can be"},

	// What the API refuses too.
	{"an e-mail address without @", in(9, "ann@example.org", "noat"), 9, "/email", "must be an e-mail address"},
	{"an order of more than 32 bits", in(4, `"order":0`, `"order":2147483648`), 4, "/order", "must be between"},
	{"an order that JSON does not have for sure", in(4, `"order":0`, `"order":9007199254740992`), 4, "/order", "must be an integer"},
	{"a milestone that ends before it starts", in(8, `"endDate":"9999-12-31T23:59:59.999Z"`, `"endDate":"2025-01-01T00:00:00.000Z"`, `"startDate":null`, `"startDate":"2025-01-01T00:00:00.001Z"`), 8, "/endDate", "a milestone cannot end before it starts"},
	{"a component that succeeds itself", in(6, `"successor":"`+ids+`32"`, `"successor":"`+ids+`31"`), 6, "/successor", "the component is its own successor"},
	{"components that succeed each other", in(7, `"successor":null`, `"successor":"`+ids+`31"`), 6, "/successor", "the component is its own successor"},
	{"a token that expires before it is created", in(11, `"expires":null`, `"expires":"2026-01-02T03:03:59.999Z"`), 11, "/expires", "must be in the future when the token is created"},
	{"a problem of a number without a next one", in(23, `"identifier":7,`, `"identifier":9007199254740991,`), 23, "/identifier", "must be at most 9007199254740990"},
	{"a version that JSON does not have for sure", in(1, `"catalogueVersion":6`, `"catalogueVersion":9007199254740992`), 1, "/catalogueVersion", "must be an integer"},

	// Files of other sorts.
	{"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03", 1, "", "is compressed: gzip -dc FILE | problems import"},
	{"zstd", "\x28\xb5\x2f\xfd\x04\x58", 1, "", "is compressed: zstd -dc FILE | problems import"},
	{"xz", "\xfd7zXZ\x00\x00\x04\n", 1, "", "is compressed: xz -dc FILE | problems import"},
	{"bzip2", "BZh91AY&SY\n", 1, "", "is compressed: bzip2 -dc FILE | problems import"},
	{"zip", "PK\x03\x04\x14\x00\n", 1, "", "is compressed: unzip -p FILE | problems import"},
	{"compressed in one line of any length", "\x1f\x8b\x08" + strings.Repeat("x", 17<<20), 1, "", "is compressed: gzip"},
	{"a database of SQLite", "SQLite format 3\x00\x10\n", 1, "", "is a database of SQLite: problems copy"},
	{"UTF-16", "\xff\xfe{\x00\"\x00\n\x00", 1, "", "is in UTF-16"},
	{"UTF-16 with the higher byte first", "\xfe\xff\x00{\x00\"\x00\n", 1, "", "is in UTF-16"},
	{"less than tells what it is", "PK\n", 1, "", "is not valid JSON"},
	{"a letter with an enclosure", "BZh is no archive\n", 1, "", "is not valid JSON"},

	// The header.
	{"no header", strings.Join(body[1:], "\n") + "\n", 1, "/kind", `must be "header"`},
	{"no JSON at all", ";title;state\n", 1, "", "is not valid JSON in UTF-8 (at byte 1)"},
	{"no version of the catalogue", in(1, `"catalogueVersion":6,`, ""), 1, "/catalogueVersion", "is missing"},
	{"a version of the catalogue that is no integer", in(1, `"catalogueVersion":6`, `"catalogueVersion":"6"`), 1, "/catalogueVersion", "must be an integer"},
	{"a version of the catalogue that is 0", in(1, `"catalogueVersion":6`, `"catalogueVersion":0`), 1, "/catalogueVersion", "must be at least 1"},
	{"a version of a catalogue that is empty", whole(body[:1], 1), 1, "/catalogueVersion", "must be 0"},
	{"another format", "{}\n", 1, "/kind", "is missing: this is no archive"},
	{"no version", in(1, `,"version":10`, ""), 1, "/version", "is missing"},
	{"a newer version", in(1, `"version":10`, `"newer":true,"version":11`), 1, "/version", "the format has version 11, and this program reads only up to version 10"},
	{"a newer version without the members of this one", in(1, `"catalogueVersion":6,"kind":"header","version":10`, `"kind":"header","version":11`), 1, "/version", "the format has version 11, and this program"},
	{"a version from before the first release", in(1, `"version":10`, `"version":6`), 1, "/version", "the format has version 6, and this program reads none before version 7: export the data again"},
	{"a member more in the header", in(1, `"version":10`, `"version":10,"by":"me"`), 1, "/by", "is not known here"},
	{"a second header", strings.Replace(good, "\n", "\n"+body[0]+"\n", 1), 2, "/kind", "only the first line is a header"},

	// JSON.
	{"an array", in(9, body[8], "[]"), 9, "", "must be a JSON object"},
	{"two objects", in(9, body[8], body[8]+" "+body[9]), 9, "", "there is more after the end of the JSON object"},
	{"an object without end", in(9, `null}`, `null`), 9, "", "ends within its JSON object"},
	{"a comma too much", in(9, `null}`, `null,}`), 9, "", "is not valid JSON in UTF-8 (at byte 169)"},
	{"single quotes", in(9, `"Ann"`, `'Ann'`), 9, "", "is not valid JSON in UTF-8 (at byte 130)"},
	{"invalid UTF-8", in(9, "Ann", "\xff"), 9, "", "is not valid JSON in UTF-8"},
	{"half a surrogate pair", in(9, "Ann", `\ud800`), 9, "", "is not valid JSON in UTF-8"},
	{"a raw control character", in(9, "Ann", "A\tnn"), 9, "", "is not valid JSON in UTF-8"},
	{"a member twice", in(9, `"name":`, `"name":"Bob","name":`), 9, "/name", "is there twice"},
	{"a member twice, escaped", in(9, `"name":`, `"n\u0061me":"Bob","name":`), 9, "/name", "is there twice"},
	{"a member twice in a value", in(15, `{"problemIdentifier":7}`, `{"problemIdentifier":7,"problemIdentifier":3}`), 15, "/to/problemIdentifier", "is there twice"},

	// Kinds and members.
	{"no kind", in(9, `"kind":"user",`, ""), 9, "/kind", "is missing"},
	{"a kind that is no string", in(9, `"kind":"user"`, `"kind":7`), 9, "/kind", "must be a string"},
	{"a kind of a newer version", in(9, `"kind":"user"`, `"kind":"sprint"`), 9, "/kind", "version 10 of the format has no such kind"},
	{"a saved query without a predicate", strings.Replace(whole(inUse(), 8), `"predicate":"watching = YES",`, "", 1), 13, "/predicate", "is missing"},
	{"a saved query with a column that is none", strings.Replace(whole(inUse(), 8), `"columns":"due,state"`, `"columns":"due,colour"`, 1), 12, "/columns", "has an unknown column as name 2"},
	{"preferences that are none", in(10, `"density=compact `, `"density=loose `), 10, "/preferences", "must be null, or a text such as"},
	{"a saved query of nobody", strings.Replace(whole(inUse(), 8), `"owner":"01900000-0000-7000-8000-000000000051"`, `"owner":null`, 1), 13, "/owner", "must be an identifier"},
	{"an audit entry of an unknown kind", strings.Replace(whole(inUse(), 8), `"objectKind":"priority"`, `"objectKind":"problem"`, 1), 15, "/objectKind", "must be one of"},
	{"an event before a problem", whole(slices.Concat(body[:22], events[:1], body[22:]), 8), 24, "/kind", "a problem cannot come after a feed event"},
	{"an event number left out", inEvents(`"number":42`, `"number":44`), 34, "/number", "must be 41 or 42: entries are numbered without gaps"},
	{"an event number 0", inEvents(`"number":41`, `"number":0`), 33, "/number", "must be an integer from 1"},
	{"half an entry of another batch", inEvents(`0102","creationDate":"2026-01-02T03:04:02.000Z","kind":"event","lines":[{"field":"CausedBy"`, `0103","creationDate":"2026-01-02T03:04:02.000Z","kind":"event","lines":[{"field":"CausedBy"`), 35, "/batchIdentifier", "must be that of the line before, which has the same number"},
	{"two entries of one batch", inEvents(`0603","creationDate":"2026-01-02T03:04:01.000Z"`, `0102","creationDate":"2026-01-02T03:04:01.000Z"`), 36, "/batchIdentifier", "must not be that of the line before, which has another number"},
	{"an event of no type", inEvents(`"problem.changed"`, `"problem.lost"`), 34, "/type", "must be one of: problem.created"},
	{"an event of no problem", inEvents(`"problem":3,"revision":2,"state"`, `"problem":4,"revision":2,"state"`), 34, "/problem", "there is no problem 4"},
	{"an event without a problem", inEvents(`"problem":3,"revision":2,"state"`, `"problem":null,"revision":2,"state"`), 34, "/problem", "there is no problem 0"},
	{"an event of revision 0", inEvents(`"problem":3,"revision":2,"state"`, `"problem":3,"revision":null,"state"`), 34, "/revision", "must be at least 1"},
	{"an event of an unknown object", inEvents(`000000000041","objectKind"`, `000000000042","objectKind"`), 33, "/object", "there is no milestone"},
	{"an event of another type than its object", inEvents(`"milestone.created"`, `"user.created"`), 33, "/type", "must be milestone.created or milestone.changed"},
	{"an event of two subjects", inEvents(`"objectKind":"milestone","problem":null`, `"objectKind":"milestone","problem":3`), 33, "/problem", "must be null"},
	{"an event without lines", inEvents(`[{"field":null,"from":null,"identifier":"01900000-0000-7000-8000-000000000612","to":"{\"name\":\"Beta\"}","type":"Created"}]`, `[]`), 33, "/lines", "must not be empty"},
	{"an event line that is no JSON", inEvents(`"{\"name\":\"Beta\"}"`, `"{"`), 33, "/lines/0/to", "must be JSON text, or null"},
	{"an event line with a member more", inEvents(`{"field":null,"from":null,"identifier":"01900000-0000-7000-8000-000000000612"`, `{"x":1,"field":null,"from":null,"identifier":"01900000-0000-7000-8000-000000000612"`), 33, "/lines/0/x", "is not known here"},
	{"an audit entry of nothing", strings.Replace(whole(inUse(), 8), `000000000011","objectKind"`, `000000000012","objectKind"`, 1), 15, "/object", "there is no priority"},
	{"a member missing", in(10, `"email":"bo@example.org",`, ""), 10, "/email", "is missing"},
	{"a member that can be null missing", in(18, `,"value":null`, ""), 18, "/value", "is missing"},
	{"a member more", in(9, `{`, `{"phone":null,`), 9, "/phone", "is not known here"},
	{"a member in other letters", in(9, `"name"`, `"Name"`), 9, "/Name", "is not known here"},
	{"a member with a slash", in(9, `{`, `{"a/b":1,`), 9, "/a~1b", "is not known here"},

	// Types.
	{"a number for a string", in(9, `"Ann"`, `7`), 9, "/name", "must be a string"},
	{"null for a string", in(9, `"Ann"`, `null`), 9, "/name", "must be a string"},
	{"a robot of a robot", in(9, `"robotOf":null`, `"robotOf":"01900000-0000-7000-8000-000000000052"`), 9, "/robotOf", "must be a person, not a robot"},
	{"a choice of mail that there is not", in(9, `"mail":null`, `"mail":"weekly"`), 9, "/mail", "must be \"mine\", \"none\" or null"},
	{"a string for a boolean", in(9, `false`, `"false"`), 9, "/inactive", "must be true or false"},
	{"a string for an integer", in(12, `"identifier":3`, `"identifier":"3"`), 12, "/identifier", "must be an integer"},
	{"a fraction", in(12, `"identifier":3`, `"identifier":3.0`), 12, "/identifier", "must be an integer"},
	{"an exponent", in(12, `"identifier":3`, `"identifier":3e0`), 12, "/identifier", "must be an integer"},
	{"an integer that JSON does not have for sure", in(12, `"identifier":3`, `"identifier":9007199254740992`), 12, "/identifier", "must be an integer"},
	{"an identifier in upper case", in(21, ids+"51", "01900000-0000-7000-8000-00000000005A"), 21, "/user", "must be an identifier"},
	{"an identifier without hyphens", in(21, ids+"51", "01900000000070008000000000000051"), 21, "/user", "must be an identifier"},
	{"the zero identifier", in(21, ids+"51", "00000000-0000-0000-0000-000000000000"), 21, "/user", "must be an identifier"},
	{"null for an identifier", in(21, `"`+ids+`51"`, "null"), 21, "/user", "must be an identifier"},
	{"an identifier for an array", in(2, `["`+ids+`02"]`, `"`+ids+`02"`), 2, "/nextStates", "must be an array"},
	{"an array of numbers", in(2, `["`+ids+`02"]`, `[2]`), 2, "/nextStates", "must be an identifier"},
	{"a time without decimals", in(16, "03.000Z", "03Z"), 16, "/creationDate", "must be a time like"},
	{"a time with a comma", in(16, "03.000Z", "03,000Z"), 16, "/creationDate", "must be a time like"},
	{"a time elsewhere", in(16, "03.000Z", "03.000+01:00"), 16, "/creationDate", "must be a time like"},
	{"a time that is not", in(16, "2026-01-02", "2026-02-30"), 16, "/creationDate", "must be a time like"},
	{"the first of all times", in(8, `"startDate":null`, `"startDate":"0001-01-01T00:00:00.000Z"`), 8, "/startDate", "must be a time like"},
	{"null for a time", in(16, `"2026-01-02T03:04:03.000Z"`, "null"), 16, "/creationDate", "must be a time like"},
	{"a hash in upper case", in(11, "00ff", "00FF"), 11, "/sha256", "must be a SHA-256"},
	{"a hash that is short", in(11, "00ff", "ff"), 11, "/sha256", "must be a SHA-256"},
	{"an empty text for null", in(14, `"field":null`, `"field":""`), 14, "/field", "must not be empty, but can be null"},

	// What the lines say is checked in package transfer; here is that it is.
	{"a title that is too long", in(12, "Leak", strings.Repeat("x", 1001)), 12, "/title", "must have 1 to 1000 characters, not 1001"},
	{"a mirror missing", whole(body[:26], 8), 20, "/problemIdentifier", "problem 7 does not have the mirror"},
	{"a token that there is not", in(15, ids+"61", ids+"62"), 15, "/via", "there is no token with this identifier"},
	{"an event of another token", inEvents(`"title":"Leak","type":"problem.changed","via":"`+ids+`61"`, `"title":"Leak","type":"problem.changed","via":null`), 35, "/via", "must be that of the line before"},
	{"a reference to nothing", in(22, ids+"52", ids+"59"), 22, "/user", "there is no user with this identifier"},

	// The manifest.
	{"a count that is too great", inManifest(`"comment":2`, `"comment":3`), 28, "/counts/comment", "is 3, but there are 2 such lines"},
	{"a count that is missing", inManifest(`"comment":2,`, ``), 28, "/counts/comment", "is missing"},
	{"a count of something new", inManifest(`"comment":2,`, `"comment":2,"vote":0,`), 28, "/counts/vote", "is not known here"},
	{"counts that are no object", inManifest(`"counts":{`, `"counts":[],"x":{`), 28, "/counts", "must be a JSON object"},
	{"a hash of other lines", late(17, "It was.", "It is."), 28, "/sha256/comment", "is not that of the lines of this kind"},
	{"a line lost", strings.Replace(good, body[16]+"\n", "", 1), 27, "/counts/comment", "is 2, but there are 1 such lines"},
	{"a line twice", strings.Replace(good, body[3]+"\n", body[3]+"\n"+strings.Replace(strings.Replace(body[3], "11", "12", 1), "High", "Low", 1)+"\n", 1), 29, "/counts/priority", "is 1, but there are 2 such lines"},
	{"a hash of something new", inManifest(`"sha256":{"attachment":`, `"sha256":{"x":`), 28, "/sha256/x", "is not known here"},
	{"a next identifier that is taken", whole(body, 7), 28, "/nextIdentifier", "must be 8"},
	{"a next identifier far above", whole(body, 9), 28, "/nextIdentifier", "must be 8"},
	{"a manifest of another version", inManifest(`"version":10`, `"version":1`), 28, "/version", "must be 10, as in the header"},
}

func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	if _, err := load(good); err != nil {
		t.Fatalf("without damage: %v", err)
	}
	for _, c := range damages {
		_, err := load(c.text)
		f, ok := errors.AsType[*transfer.Fault](err)
		if !ok {
			t.Errorf("%s: %v, want a fault", c.name, err)
			continue
		}
		if f.Line != c.line || f.Field != c.field || !strings.HasPrefix(f.Reason, c.reason) {
			t.Errorf("%s: %q, want line %d, %s: %s…", c.name, f, c.line, c.field, c.reason)
		}
	}
}

// Wherever an archive is cut off, it is refused.
func TestEveryCutIsFound(t *testing.T) {
	t.Parallel()
	for n := range len(good) {
		if _, err := load(good[:n]); err == nil {
			t.Errorf("the first %d of %d bytes were loaded", n, len(good))
		}
	}
}

// Whichever bit of an archive flips, it is refused, or the archive says the same
// in another form.
func TestEveryFlippedBitIsFound(t *testing.T) {
	t.Parallel()
	for i := range len(good) {
		damaged := []byte(good)
		damaged[i] ^= 1 << (i % 8)
		if w, err := load(string(damaged)); err == nil && w.text(t) != canonical() {
			t.Errorf("byte %d of %d: %q was loaded in place of %q", i, len(good), damaged[i], good[i])
		}
	}
}

// inEvents is an archive with a feed, in whose text something is replaced.
func inEvents(old, replacement string) string {
	lines := inUse()
	for i := range lines {
		if strings.Contains(lines[i], `"kind":"event"`) && strings.Contains(lines[i], old) {
			lines[i] = strings.Replace(lines[i], old, replacement, 1)
			return whole(lines, 8)
		}
	}
	panic("no event has " + old)
}
