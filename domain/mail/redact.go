package mail

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/user"
	"github.com/problemtracking/problems/domain/webhook"
)

// form describes the text of one kind of tokens.
type form struct {
	least, most int    // characters
	alphabet    string // in the order of their values
	bits        int    // of a character
	reads       func(k webhook.Key, token string) bool
}

// The forms of the two kinds of tokens: 32 bytes in base64, and 27 to 34 bytes in base32. Each
// begins with the identifier of its user.
var forms = []form{
	{43, 43, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", 6, func(k webhook.Key, token string) bool {
		_, ok := ReadToken(k, token)
		return ok
	}},
	{44, 55, "abcdefghijklmnopqrstuvwxyz234567ABCDEFGHIJKLMNOPQRSTUVWXYZ", 5, func(k webhook.Key, token string) bool {
		_, _, ok := ReadReplyToken(k, token)
		return ok
	}},
}

// prefixBits is the length of the begin of an identifier that finds a token: whole characters of
// both forms.
const prefixBits = 60

// Windows of a text. A token has its characters within overlap bytes.
const (
	window  = 64 << 10
	overlap = 8 << 10
)

const redacted = "…"

// Redact returns a text without the tokens of mails to the users, about all problems. Otherwise
// readers of the text could write in the name of these people. Programs change tokens on their
// way: they break them between lines, put marks of quotes and invisible characters inside, and
// encode them. So what stands between the characters of a token does not count, and neither does
// what stands around it. Each encoding is undone by itself and inside of others.
func Redact(k webhook.Key, users []user.User, text string) string {
	prefixes := map[uint64]bool{}
	for _, u := range users {
		prefixes[binary.BigEndian.Uint64(u.ID[:])>>(64-prefixBits)] = true
	}
	var found []part
	for begin := 0; begin == 0 || begin+overlap < len(text); begin += window - overlap {
		for v := range views(text[begin:min(begin+window, len(text))]) {
			for _, f := range forms {
				for _, p := range f.find(k, prefixes, v) {
					found = append(found, part{p.begin + begin, p.end + begin})
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b part) int { return a.begin - b.begin })
	var out strings.Builder
	kept := 0 // the text before is in out
	for _, p := range found {
		if p.begin >= kept {
			out.WriteString(text[kept:p.begin])
			out.WriteString(redacted)
		}
		kept = max(kept, p.end)
	}
	out.WriteString(text[kept:])
	return out.String()
}

// part is a part of a text, in bytes.
type part struct{ begin, end int }

// find returns where tokens of the form are, of users with one of the prefixes. Only such a token
// is proved, so the work is bounded.
func (f form) find(k webhook.Key, prefixes map[uint64]bool, v view) []part {
	var values [256]int
	for i, c := range []byte(f.alphabet) {
		values[c] = i%(1<<f.bits) + 1
	}
	var run []byte // the characters of the form
	var places []int
	var found []part
	first, prefix := prefixBits/f.bits, uint64(0)
	var begins []int
	for i := range len(v.text) {
		value := values[v.text[i]]
		if value == 0 {
			continue
		}
		run, places = append(run, v.text[i]), append(places, i)
		prefix = (prefix<<f.bits | uint64(value-1)) & (1<<prefixBits - 1)
		if at := len(run) - first; at >= 0 && prefixes[prefix] {
			begins = append(begins, at)
		}
	}
	for _, at := range begins {
		for n := f.least; n <= f.most && at+n <= len(run); n++ {
			if f.reads(k, string(run[at:at+n])) {
				found = append(found, part{v.at(places[at]).begin, v.at(places[at+n-1]).end})
				break
			}
		}
	}
	return found
}
