package problem

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

func TestLogValue(t *testing.T) {
	t.Parallel()
	const canonical = "0197c3f2-89ab-7cde-8f01-23456789abcd"
	id, err := ident.Parse(canonical)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		got  LogValue
		want string
	}{
		{"null", "", `null`},
		{"text", LogText("Login fails"), `"Login fails"`},
		{"empty text", LogText(""), `""`},
		{"markup as it is", LogText("<b>a & b</b>"), `"<b>a & b</b>"`},
		{"quotes and controls", LogText("a\"b\\c\td\r\n"), `"a\"b\\c\td\r\n"`},
		{"beyond ASCII", LogText("Täsk 日本 🙂"), `"Täsk 日本 🙂"`},
		{"text that is JSON", LogText(`{"a":null}`), `"{\"a\":null}"`},
		{"keyword without value", LogNoValue, `{"value":null}`},
		{"reference", LogRef(id, "R&D"), `{"identifier":"` + canonical + `","name":"R&D"}`},
		{"reference to nothing", LogRef(ident.None, ""), `null`},
		{"true", LogFlag(true), `true`},
		{"false is not null", LogFlag(false), `false`},
		{"number", LogNumber(-7), `-7`},
		{"zero is not null", LogNumber(0), `0`},
		{"time", LogTime(time.Date(2030, 1, 1, 2, 0, 0, 7e6, time.FixedZone("", 7200))), `"2030-01-01T00:00:00.007Z"`},
		{"no time", LogTime(time.Time{}), `null`},
		{"array", LogArray(LogRef(id, "Open"), "", LogNumber(1)), `[{"identifier":"` + canonical + `","name":"Open"},null,1]`},
		{"empty array", LogArray(), `[]`},
		{"link", LogLink(12), `{"problemIdentifier":12}`},
		{"large link", LogLink(1<<53 + 1), `{"problemIdentifier":9007199254740993}`},
		{"object", LogObject(LogMember{"title", LogText("a")}, LogMember{"state", LogRef(id, "Open")}),
			`{"title":"a","state":{"identifier":"` + canonical + `","name":"Open"}}`},
		{"object without nulls", LogObject(LogMember{"a", ""}, LogMember{"b", LogText("")}, LogMember{"c", ""}), `{"b":""}`},
		{"empty object", LogObject(), `{}`},
	} {
		if got := c.got.JSON(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestLogTextRoundTrip checks that a text survives unchanged and on one line, even
// with characters to escape in JSON or JavaScript.
func TestLogTextRoundTrip(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"\u2028\u2029", "\u007F\u0085", "\uFEFF", "\uFFFD\uFFFE", "\U0010FFFF", "</script>", `\u003c`,
		"\t\r\n", strings.Repeat("é\n", 32<<10),
	} {
		value := LogText(text).JSON()
		var got string
		if err := json.Unmarshal([]byte(value), &got); err != nil || got != text {
			t.Errorf("%+.60q is logged as %.60s, which reads %+.60q, %v", text, value, got, err)
		}
		if strings.ContainsAny(value, "\r\n\u2028\u2029") {
			t.Errorf("%+.60q is logged on several lines: %.60s", text, value)
		}
	}
}

func TestLogTypeSignificant(t *testing.T) {
	t.Parallel()
	for typ, want := range map[LogType]bool{
		ProblemCreated: true, FieldChanged: true, CommentAdded: true, KeywordSet: true, KeywordDeleted: true,
		RelationshipAdded: true, RelationshipDeleted: true, WatcherAdded: false, WatcherRemoved: false,
		CommentEdited: false, CommentDeleted: false,
	} {
		if got := typ.Significant(); got != want {
			t.Errorf("%s is significant: %t, want %t", typ, got, want)
		}
		if got, want := typ.Modifies(), typ != WatcherAdded && typ != WatcherRemoved; got != want {
			t.Errorf("%s sets the modifier: %t, want %t", typ, got, want)
		}
	}
}
