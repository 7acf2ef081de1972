package syntax

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/domain/predicate"
)

// foreign are the operators of SQL, JQL and other languages, by their names in
// capitals, with the form to write here. Advice is their only use.
var foreign = map[string]string{
	"STARTSWITH": "BEGINSWITH", "STARTS": "BEGINSWITH", "BEGINS": "BEGINSWITH",
	"ENDS": "ENDSWITH", "FINISHESWITH": "ENDSWITH",
	"ILIKE": "LIKE[c]", "GLOB": "LIKE", "SIMILAR": "LIKE or MATCHES",
	"MATCH": "MATCHES", "REGEX": "MATCHES", "REGEXP": "MATCHES", "RLIKE": "MATCHES",
	"CONTAIN": "CONTAINS", "HAS": "CONTAINS", "INCLUDE": "CONTAINS", "INCLUDES": "CONTAINS",
	"EQ": "=", "EQUAL": "=", "EQUALS": "=", "NE": "!=", "NEQ": "!=",
	"LT": "<", "LE": "<=", "LTE": "<=", "GT": ">", "GE": ">=", "GTE": ">=",
	"IS": "= nil or != nil", "ISNULL": "= nil", "ISNOT": "!=", "NOTNULL": "!= nil",
	"EXISTS": ".@count > 0 behind a collection",
	"WAS":    "ANY history.key = …", "CHANGED": "ANY history.key = …",
	"XOR": "(x AND NOT y) OR (y AND NOT x)",
	"MOD": modulus, "DIV": "/",
}

// modulus is the form of a remainder.
const modulus = "FUNCTION(x, 'modulus:by:', y)"

// clauses are words of a statement of SQL or JQL around its condition.
var clauses = map[string]bool{
	"SELECT": true, "FROM": true, "WHERE": true, "HAVING": true,
	"ORDER": true, "GROUP": true, "LIMIT": true, "OFFSET": true, "FETCH": true,
}

// comparisonSigns and operators name the valid operators in errors.
const (
	comparisonSigns = "= != < <= > >="
	operators       = comparisonSigns + " IN BETWEEN CONTAINS BEGINSWITH ENDSWITH LIKE MATCHES"
)

// foreignWord returns the advice about a word of another language.
func foreignWord(w string) (advice string, ok bool) {
	w = strings.ToUpper(w)
	if clauses[w] {
		return "a predicate is the condition alone, without " + w, true
	}
	if form, ok := foreign[w]; ok {
		return "there is no operator " + w + "; write " + form, true
	}
	return "", false
}

// foreignStart returns the error for a value with the name of a clause, or with that of EXISTS:
// its author means no key and no function. It returns nil for any other value.
func (p *parser) foreignStart(n node) error {
	name, offset := "", 0
	switch n := n.(type) {
	case *Path:
		if n.Of == nil && len(n.Steps) == 1 {
			name, offset = n.Steps[0].Name, n.Steps[0].Offset
		}
	case *Call:
		name, offset = n.Name, n.Offset
	}
	if w := strings.ToUpper(name); !clauses[w] && w != "EXISTS" {
		return nil
	}
	advice, _ := foreignWord(name)
	return p.fail(offset, predicate.InvalidSyntax, "%s", advice)
}

// noOperator returns the error for the current token behind a value, if an operator
// has to stand there.
func (p *parser) noOperator() error {
	switch p.tok.kind {
	case "NOT":
		return p.misplacedNot()
	case word:
		if advice, ok := foreignWord(p.tok.text); ok {
			return p.failHere(predicate.InvalidSyntax, "%s", advice)
		}
	case number, quote, variable, hashWord:
	default:
		return nil
	}
	return p.failHere(predicate.InvalidSyntax, "expected an operator, not %s%s", p.tok, p.adviceOr("; there are "+operators))
}

// foreignSign returns the error for a current token that makes one sign with the
// comparison at the offset, such as ===.
func (p *parser) foreignSign(offset int) error {
	sign := p.text[offset:p.tok.offset]
	if infix[p.tok.kind] != comparing || p.tok.isWord() || isLetter(sign[0]) || strings.ContainsAny(sign, " \t\r\n") {
		return nil
	}
	return p.failHere(predicate.InvalidSyntax, "there is no operator %s%s; there are %s", sign, p.tok, comparisonSigns)
}

// misplacedNot returns the error for NOT behind a value, as in SQL's NOT IN.
func (p *parser) misplacedNot() error {
	advice := "NOT stands before a condition, as in NOT x = y"
	ahead := p.lexer // the parser stays at NOT
	next, err := ahead.next()
	spelled := strings.ToUpper(next.text)
	form, known := foreign[spelled]
	switch {
	case err != nil && strings.HasPrefix(ahead.rest(), "~"):
		advice = "there is no operator !~; write NOT x MATCHES y"
	case err != nil:
	case infix[next.kind] == comparing:
		advice = fmt.Sprintf("there is no operator NOT %s; write NOT x %[1]s y", spelled)
	case known:
		advice = fmt.Sprintf("there is no operator NOT %s; write NOT x %s y", spelled, form)
	}
	return p.failHere(predicate.InvalidSyntax, "%s", advice)
}

// adviceOr returns advice about the current token by its neighbours in the text, or
// else the other advice.
func (p *parser) adviceOr(other string) string {
	before, at := p.text[:p.tok.offset], p.text[p.tok.offset:]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	switch kind := p.tok.kind; {
	case kind == word && p.dashes > len(before)-len(line) && !isLetter(p.text[p.dashes+1]),
		(kind == "*" || kind == "/") && strings.HasSuffix(before, "/"):
		return "; " + NoComments
	case kind == "@":
		return "; " + Caller
	case kind == "+":
		return "; a number has no sign +"
	case kind == "." && len(at) > 1 && isDigit(at[1]):
		return "; a number begins with a digit, as in 0.5"
	case kind != word && kind != number && kind != quote:
	case strings.HasSuffix(before, `'`):
		return `; a quote within a string is written \'`
	case strings.HasSuffix(before, `"`):
		return `; a quote within a string is written \"`
	}
	return other
}

// NoComments and Caller are advice for users of other languages.
const (
	NoComments = "there are no comments"
	Caller     = "the caller is $ApiUser"
)

// noEnd returns the error for the current token behind a whole predicate.
func (p *parser) noEnd() error {
	switch p.tok.kind {
	case ")", "}", "]":
		opening := map[TokenKind]string{")": "(", "}": "{", "]": "["}[p.tok.kind]
		return p.failHere(predicate.InvalidSyntax, "this %s closes nothing: no %s is open", p.tok, opening)
	case word, "FETCH":
		if advice, ok := foreignWord(p.tok.text); ok {
			return p.failHere(predicate.InvalidSyntax, "%s", advice)
		}
	}
	return p.unexpected("AND, OR or the end")
}

// foreignSigns are characters with a meaning in other languages, with advice.
var foreignSigns = map[rune]string{
	'~': "there is no operator ~; write CONTAINS, LIKE or MATCHES",
	'&': "there is no operator &; write AND or &&",
	'|': "there is no operator |; write OR or ||",
	'^': "there is no operator ^; a power is written **",
	'%': "there is no operator %; write " + modulus,
	'?': "there are no arguments to put in place of ?; write the values themselves",
	':': "there is no operator :; write =, as in state.name = 'Open'",
	';': "a predicate is one condition and ends without ;",
	'`': `strings stand in ' or ", and keys stand without quotes`,
	'≠': "there is no operator ≠; write !=",
	'≤': "there is no operator ≤; write <=",
	'≥': "there is no operator ≥; write >=",
	'×': "there is no operator ×; write *",
	'÷': "there is no operator ÷; write /",
	'−': "there is no operator −; write -",
	'‘': straight + "‘", '’': straight + "’", '“': straight + "“", '”': straight + "”",
	'«': straight + "«", '»': straight + "»", '„': straight + "„", '‚': straight + "‚",
	'\\': "a backslash stands in strings alone",
}

// straight is the advice for typographic quotes.
const straight = `strings stand in straight quotes, ' or ", not `
