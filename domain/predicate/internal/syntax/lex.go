package syntax

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
)

// TokenKind is the kind of a token. A reserved word is its own kind, in capitals. For
// a sign, signs gives the kind.
type TokenKind string

// The kinds of tokens that are neither reserved words nor signs.
const (
	end      TokenKind = "end"
	word     TokenKind = "word"
	hashWord TokenKind = "key" // #word
	variable TokenKind = "variable"
	number   TokenKind = "number"
	quote    TokenKind = "string"
)

// named holds the names of token kinds in errors. Reserved words and signs appear
// there as they are.
var named = map[TokenKind]string{
	end: "the end", word: "a word", hashWord: "a key", variable: "a variable", number: "a number", quote: "a string",
}

// String returns the kind for errors.
func (k TokenKind) String() string {
	if name, ok := named[k]; ok {
		return name
	}
	return string(k)
}

// token is one token of a text.
type token struct {
	kind   TokenKind
	offset int // of its first byte
	// text is the token's spelling. For a key or a variable, it is without # or $. For a
	// string, it is the content without quotes and escapes.
	text string
}

// String returns the token for errors. It repeats nothing from inside a string.
func (t token) String() string {
	switch _, ok := named[t.kind]; {
	case t.kind == word:
		return Quoted(t.text)
	case ok:
		return t.kind.String()
	}
	return t.text
}

// isWord reports whether the token is a word, reserved or not.
func (t token) isWord() bool {
	return t.kind == word || reserved[string(t.kind)] && isLetter(t.text[0])
}

// reserved are the words not usable as keys, unless after "#" or ".".
var reserved = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`AND OR NOT ANY SOME ALL NONE IN BETWEEN CONTAINS
		BEGINSWITH ENDSWITH LIKE MATCHES NULL NIL TRUE YES FALSE NO SELF FIRST LAST SIZE
		SUBQUERY CAST TRUEPREDICATE FALSEPREDICATE ANYKEY FETCH CI CASEINSENSITIVE`) {
		words[w] = true
	}
	return words
}()

// longestReserved is the length of the longest reserved word.
const longestReserved = len("CASEINSENSITIVE")

// reservedWord returns a reserved word in capitals.
func reservedWord(w string) (string, bool) {
	if len(w) > longestReserved {
		return "", false
	}
	w = strings.ToUpper(w)
	return w, reserved[w]
}

// signs are the tokens of punctuation, longer ones first. Signs with one meaning are
// one kind of token.
var signs = []struct {
	text string
	kind TokenKind
}{
	{"==", "="}, {"!=", "!="}, {"<>", "!="}, {"<=", "<="}, {"=<", "<="}, {">=", ">="}, {"=>", ">="},
	{"&&", "AND"}, {"||", "OR"}, {"**", "**"},
	{"=", "="}, {"<", "<"}, {">", ">"}, {"!", "NOT"},
	{"+", "+"}, {"-", "-"}, {"*", "*"}, {"/", "/"},
	{"(", "("}, {")", ")"}, {"{", "{"}, {"}", "}"}, {"[", "["}, {"]", "]"},
	{",", ","}, {".", "."}, {"@", "@"},
}

// lexer splits a text into tokens (section 1 of the query language).
type lexer struct {
	text   string
	offset int
	dashes int // the offset of the last - right after another one, or 0
}

func (l *lexer) rest() string { return l.text[l.offset:] }

// next returns the next token. At the end of the text, each call returns the kind end.
func (l *lexer) next() (token, error) {
	l.offset = len(l.text) - len(strings.TrimLeft(l.rest(), " \t\r\n"))
	start := l.offset
	if start == len(l.text) {
		return token{kind: end, offset: start}, nil
	}
	c := l.text[start]
	switch {
	case isLetter(c):
		w := l.word()
		if r, ok := reservedWord(w); ok {
			return token{kind: TokenKind(r), offset: start, text: w}, nil
		}
		return token{kind: word, offset: start, text: w}, nil
	case isDigit(c):
		return l.number()
	case c == '\'' || c == '"':
		return l.string()
	case c == '#' || c == '$':
		return l.marked()
	}
	for _, s := range signs {
		if strings.HasPrefix(l.rest(), s.text) {
			l.offset += len(s.text)
			if s.text == "-" && start > 0 && l.text[start-1] == '-' {
				l.dashes = start
			}
			return token{kind: s.kind, offset: start, text: s.text}, nil
		}
	}
	return token{}, l.unknown()
}

// unknown returns the error for a character without a token.
func (l *lexer) unknown() error {
	switch rest := l.rest(); {
	case rest[0] == '%' && len(rest) > 1 && strings.ContainsRune(" \t\r\n0123456789(", rune(rest[1])):
		return l.fail(l.offset, predicate.Unsupported, "%s", foreignSigns['%'])
	case rest[0] == '%':
		return l.fail(l.offset, predicate.Unsupported, "there are no arguments to put in place of %%; write the values themselves")
	case strings.HasPrefix(rest, ":="):
		return l.fail(l.offset, predicate.Unsupported, "nothing can be assigned")
	case rest[0] >= utf8.RuneSelf:
		if r, size := utf8.DecodeRuneInString(rest); r == utf8.RuneError && size == 1 {
			return l.fail(l.offset, predicate.InvalidSyntax, "the text is not valid UTF-8")
		} else if advice, ok := foreignSigns[r]; ok {
			return l.fail(l.offset, predicate.InvalidSyntax, "%s", advice)
		} else if unicode.IsSpace(r) {
			return l.fail(l.offset, predicate.InvalidSyntax, "outside of strings there are ASCII characters only, not %U; white space is space, tab, CR and LF", r)
		} else {
			return l.fail(l.offset, predicate.InvalidSyntax, "outside of strings there are ASCII characters only, not %U", r)
		}
	case rest[0] < ' ' || rest[0] == 0x7f:
		return l.fail(l.offset, predicate.InvalidSyntax, "outside of strings there are no control characters but tab, CR and LF")
	default: // ASCII has no other characters
		return l.fail(l.offset, predicate.InvalidSyntax, "%s", foreignSigns[rune(rest[0])])
	}
}

func (l *lexer) fail(offset int, kind predicate.ErrorKind, format string, args ...any) error {
	return ErrorAt(l.text, offset, kind, format, args...)
}

func isLetter(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_'
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// skip moves past all bytes of a class.
func (l *lexer) skip(class func(byte) bool) {
	for l.offset < len(l.text) && class(l.text[l.offset]) {
		l.offset++
	}
}

// word reads a word. It returns an empty one if no word starts here.
func (l *lexer) word() string {
	start := l.offset
	if l.offset < len(l.text) && isLetter(l.text[l.offset]) {
		l.skip(func(c byte) bool { return isLetter(c) || isDigit(c) })
	}
	return l.text[start:l.offset]
}

// marked reads #word and $word.
func (l *lexer) marked() (token, error) {
	start, kind := l.offset, hashWord
	if l.text[start] == '$' {
		kind = variable
	}
	l.offset++
	w := l.word()
	if w == "" {
		if kind == hashWord {
			return token{}, l.fail(start, predicate.InvalidSyntax, "# stands right before a key, as in #size; %s", NoComments)
		}
		return token{}, l.fail(start, predicate.InvalidSyntax, "$ stands right before the name of a variable, as in $ApiUser")
	}
	return token{kind: kind, offset: start, text: w}, nil
}

// number reads digits[.digits][e[±]digits].
func (l *lexer) number() (token, error) {
	start := l.offset
	l.skip(isDigit)
	l.optional(".", "")
	l.optional("eE", "+-")
	if l.offset < len(l.text) && isLetter(l.text[l.offset]) {
		if span := l.word(); len(span) == 1 && strings.Contains("smhdwMy", span) {
			return token{}, l.fail(start, predicate.InvalidSyntax, "a span of time is no number; dates move as in FUNCTION(NOW(), 'dateByAddingDays:', -7)")
		}
		return token{}, l.fail(start, predicate.InvalidSyntax, "a number is followed by a letter")
	}
	t := token{kind: number, offset: start, text: l.text[start:l.offset]}
	if _, ok := numberValue(t.text); !ok {
		return token{}, l.outOfRange(t)
	}
	return t, nil
}

// outOfRange returns the error for a number without a value. A minus is no part of a
// number, so the smallest Int has no form of its own.
func (l *lexer) outOfRange(t token) error {
	const largest, smallest = "9223372036854775807", "9223372036854775808"
	switch minus := strings.HasSuffix(strings.TrimRight(l.text[:t.offset], " \t\r\n"), "-"); {
	case strings.ContainsAny(t.text, ".eE"):
		return l.fail(t.offset, predicate.InvalidSyntax, "the number is out of range: a Float is of double precision")
	case minus && strings.TrimLeft(t.text, "0") == smallest:
		return l.fail(t.offset, predicate.InvalidSyntax, "the number is out of range: an Int ends at %s; write -%[1]s - 1 for the smallest one", largest)
	case len(t.text) > MaxQuoted:
		return l.fail(t.offset, predicate.InvalidSyntax, "the number is out of range: an Int ends at %s", largest)
	default:
		return l.fail(t.offset, predicate.InvalidSyntax, "the number is out of range: an Int ends at %s, and %s.0 is a Float", largest, t.text)
	}
}

// optional moves past one of the marks, an optional sign, and digits. Without digits
// it does not move.
func (l *lexer) optional(marks, signs string) {
	rest := l.rest()
	if rest == "" || !strings.Contains(marks, rest[:1]) {
		return
	}
	n := 1
	if n < len(rest) && signs != "" && strings.Contains(signs, rest[n:n+1]) {
		n++
	}
	if n < len(rest) && isDigit(rest[n]) {
		l.offset += n
		l.skip(isDigit)
	}
}

// numberValue returns the value of a number: a Float when it has a point or an
// exponent, else an Int. It returns false for a number out of range.
func numberValue(text string) (predicate.Value, bool) {
	if strings.ContainsAny(text, ".eE") {
		return predicate.ParseFloat(text)
	}
	i, err := strconv.ParseInt(text, 10, 64)
	return i, err == nil
}
