package bench

import "time"

// Times returns times known to change in storage.
func Times() []time.Time {
	return []time.Time{
		time.Date(1, time.January, 1, 0, 0, 0, 1e6, time.UTC),
		time.Date(1582, time.October, 10, 0, 0, 0, 0, time.UTC),
		time.Date(1969, time.December, 31, 23, 59, 59, 999e6, time.UTC),
		time.Unix(0, 0).UTC(),
		time.Date(2000, time.February, 29, 12, 0, 0, 10e6, time.UTC),
		time.Date(2026, time.March, 29, 1, 30, 0, 100e6, time.UTC),
		time.Date(2038, time.January, 19, 3, 14, 8, 0, time.UTC),
		time.Date(9999, time.December, 31, 23, 59, 59, 999e6, time.UTC),
	}
}

// specimen is a text and its description.
type specimen struct{ What, Text string }

// Texts returns texts known to change in storage.
func Texts() []specimen {
	return []specimen{
		{"emoji", "\U0001f600 \U0001f469\u200d\U0001f469\u200d\U0001f467 \U0001f1e9\U0001f1ea"},
		{"the last code point", "\U0010ffff"},
		{"a replacement", "\ufffd"},
		{"noncharacters", "\ufffe\uffff\ufdd0"},
		{"a byte order mark", "\ufeffmarked"},
		{"line ends", "one\r\ntwo\nthree\rfour"},
		{"line separators", "one\u2028two\u2029three"},
		{"tabs", "\tone\ttwo\t"},
		{"outer spaces", "  one  "},
		{"only spaces", "   "},
		{"odd spaces", "\u00a0one\u200b\u3000"},
		{"quotes", `'one' "two" ''three'' ` + "`four`"},
		{"backslashes", `\one\ \\two \' \" \n \u0041 \x41`},
		{"SQL", `'; DROP TABLE problems; -- /* ? $1 :a @b %s {} [] */`},
		{"patterns", `100% _ * ? [a-z] ^$`},
		{"markup", `<script>alert("&amp;")</script>`},
		{"combining marks", "e\u0301 \u00e9 a\u0323\u0302 \u1ead"},
		{"right to left", "\u202eabc\u202c \u05d0\u05d1\u05d2"},
		{"a number", "007"},
		{"a real number", "1.0e3"},
		{"a big number", "123456789012345678901234567890"},
		{"an infinity", "Infinity"},
		{"a truth value", "true"},
		{"the word null", "null"},
		{"the word NULL", "NULL"},
		{"a time", "2026-01-02T03:04:05.678Z"},
		{"another time", "2026-01-02 03:04:05+00:00"},
		{"a JSON string", `"text"`},
		{"a JSON object", `{"a": [1, 2 ,3], "a": null}`},
		{"an array", `{a,b,"c d"}`},
		{"a bytea", `\x00ff`},
		{"an identifier", "01890000-0000-7000-8000-000000000000"},
	}
}
