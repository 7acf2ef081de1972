package mail

import (
	"regexp"
	"strings"
)

// remark is a part of a header that says nothing to programs (RFC 5322).
var remark = regexp.MustCompile(`\([^()]*\)`)

// Automatic reports whether a program has written a mail, such as an answer during a holiday,
// a bounce, or the mail of a list. sender is the address for bounces, and header returns a
// header of the mail, or "".
func Automatic(sender string, header func(name string) string) bool {
	first := func(name string) string {
		word, _, _ := strings.Cut(remark.ReplaceAllString(header(name), ""), ";")
		return strings.ToLower(strings.TrimSpace(word))
	}
	if submitted := first("Auto-Submitted"); submitted != "" && submitted != "no" { // RFC 3834
		return true
	}
	switch first("Precedence") {
	case "bulk", "junk", "list", "auto_reply":
		return true
	}
	for _, name := range []string{"X-Autoreply", "X-Autorespond", "X-Autoresponse", "List-Id", "X-MS-Exchange-Inbox-Rules-Loop"} {
		if header(name) != "" {
			return true
		}
	}
	return sender == "" || first("Content-Type") == "multipart/report"
}
