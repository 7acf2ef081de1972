package harness

import (
	"encoding/json"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Ledger is what a child process said of what it did, in the order in which it
// said it.
type Ledger []Statement

// Statement is one thing that a child said.
type Statement struct {
	Word Word
	Deed Deed
	// Batch is that of the Change or of the ruling.
	Batch ident.ID
	// Problems are those that a Change creates, and one that it updates, or 0.
	Problems [3]problem.ID
	// Doomed Changes create one more problem, which is there, so that they have
	// to be refused.
	Doomed bool
	// Only is the kind of a Change with nothing else in it, such as "token" or "log". It
	// is empty for Changes with something of everything.
	Only string
	// Bulk is the number of further comments in the Change.
	Bulk int
	// Position is that of the Receipt.
	Position int64
	// Catalogue is its version, as it was shown before a Confirm.
	Catalogue int64
	// Why is the error's text, and Kind its kind.
	Why, Kind string
	// Process is the child's number, in its first Statement.
	Process int
}

// Word is what a Statement says of a deed.
type Word string

// The words.
const (
	Tried        Word = "tried"        // is about to be done
	Acknowledged Word = "acknowledged" // was done
	Refused      Word = "refused"      // was not done, and never will be
	Unknown      Word = "unknown"      // may have been done or not
	Halfway      Word = "halfway"      // is half done
)

// Deed is what a child does.
type Deed string

// The deeds.
const (
	Opening    Deed = "open"    // the store
	Restoring  Deed = "restore" // an Archive
	Reserving  Deed = "reserve" // a number
	Committing Deed = "commit"  // a Change
	Ruling     Deed = "rule"    // out a batch that was never committed
	Confirming Deed = "confirm" // what a View has shown: a Change
	Settling   Deed = "settle"  // a Change that a View has shown, by Outcome
	Resting    Deed = "rest"    // since every writer has met an error, or waits to be killed
)

// Sight reports whether the Statement is that a Change was shown, and that the
// store has then said that it is safe.
func (s Statement) Sight() bool {
	return s.Word == Acknowledged && (s.Deed == Confirming || s.Deed == Settling)
}

// statementMark begins the lines that are Statements: others may write there, too.
const statementMark = "conformance: "

// Line returns the statement as a child says it.
func (s Statement) Line() []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // there is nothing in it that has no form
	}
	return []byte(statementMark + string(text) + "\n")
}

// ParseStatement reads a line.
func ParseStatement(line string) (s Statement, ok bool) {
	text, ok := strings.CutPrefix(line, statementMark)
	return s, ok && json.Unmarshal([]byte(text), &s) == nil
}
