// Package mention finds the people whom a comment names (D54).
package mention

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

// Most is how many names of one comment count.
const Most = 20

// name is "@anna" or "@anna@example.org". A dot at its end ends the sentence.
var name = regexp.MustCompile(`^@([\pL\pN_+-](?:[\pL\pN._+-]*[\pL\pN_+-])?(?:@[\pL\pN-]+(?:\.[\pL\pN-]+)*)?)`)

// longest is the length of the longest name in bytes: 64 before the "@" and 255 behind, as in
// e-mail.
const longest = 320

// Names returns the names behind the marks "@" of a Markdown text, each once, and at most Most.
// Code and quotes have none.
func Names(text string) (names []string) {
	if !strings.Contains(text, "@") {
		return nil
	}
	for _, block := range blocks(text) {
		for i := 0; i < len(block) && len(names) < Most; i++ {
			switch block[i] {
			case '\\':
				i++
			case '`':
				i += code(block[i:]) - 1
			case '@':
				before, _ := utf8.DecodeLastRuneInString(block[:i])
				found := name.FindStringSubmatch(block[i:min(len(block), i+longest)])
				if found == nil || i > 0 && joins(before) {
					continue
				}
				if !slices.Contains(names, found[1]) {
					names = append(names, found[1])
				}
				i += len(found[0]) - 1
			}
		}
	}
	return names
}

// joins reports whether a mark behind this character belongs to a word or an address.
func joins(c rune) bool {
	return strings.ContainsRune("_&/=.", c) || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
}

// code returns the length of the code span at the start of a text, or that of its marks if they
// begin none.
func code(text string) int {
	marks := len(text) - len(strings.TrimLeft(text, "`"))
	for at := marks; at < len(text); {
		begin := strings.IndexByte(text[at:], '`')
		if begin < 0 {
			break
		}
		at += begin
		run := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if at += run; run == marks {
			return at
		}
	}
	return marks
}

// blocks returns the parts of a text between blank lines, without code and quotes. A paragraph
// that begins as a quote is one to its end.
func blocks(text string) (all []string) {
	var block []string
	end := func() {
		all = append(all, strings.Join(block, "\n"))
		block = nil
	}
	fence, quote, blank := "", false, true
	for line := range strings.SplitSeq(text, "\n") {
		inner := strings.TrimLeft(line, " ")
		indented := len(line)-len(inner) > 3 || strings.HasPrefix(inner, "\t")
		mark := fenceOf(inner)
		switch {
		case fence != "":
			if !indented && strings.HasPrefix(mark, fence) && strings.Trim(inner, mark[:1]+" \t\r") == "" {
				fence = ""
			}
			blank = true
			continue
		case strings.TrimSpace(line) == "":
			end()
			quote, blank = false, true
			continue
		case indented && blank: // code
			continue
		case !indented && mark != "":
			end()
			fence, quote = mark, false
			continue
		case !indented && inner[0] == '>':
			end()
			quote = true
		}
		blank = false
		if !quote {
			block = append(block, line)
		}
	}
	end()
	return all
}

// fenceOf returns the marks that begin or end a block of code; empty for other lines.
func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 && (c == "~" || !strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

// Users returns the active users whom the text names, in its order: each by the address, or by
// the part of it before the "@" that no other active user shares.
func Users(text string, all []user.User) (named []user.User) {
	names := Names(text)
	if len(names) == 0 {
		return nil
	}
	people := byName(all)
	for _, name := range names {
		u := people[user.FoldEmail(name)]
		if u.ID != ident.None && !slices.ContainsFunc(named, func(other user.User) bool { return other.ID == u.ID }) {
			named = append(named, u)
		}
	}
	return named
}

// byName returns the active users by their names: the address, and the part of it before the "@" that
// no other active user shares.
func byName(all []user.User) map[string]user.User {
	named := make(map[string]user.User, 2*len(all))
	for _, u := range all {
		if u.Inactive {
			continue
		}
		address := user.FoldEmail(u.Email)
		named[address] = u
		short, _, _ := strings.Cut(address, "@")
		if _, taken := named[short]; taken {
			u = user.User{}
		}
		named[short] = u
	}
	return named
}

// ShortNames returns the shortest name that names each active user. A user whose address has other
// characters than names has none.
func ShortNames(all []user.User) map[ident.ID]string {
	short := map[ident.ID]string{}
	for name, u := range byName(all) {
		known, ok := short[u.ID]
		if u.ID != ident.None && (!ok || len(name) < len(known)) && slices.Equal(Names("@"+name), []string{name}) {
			short[u.ID] = name
		}
	}
	return short
}
