package harness

import (
	"encoding/json"
	"strings"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Ledger is a child process's record of its actions, in the order of its Statements.
type Ledger []Statement

// Statement is one entry of a child's record.
type Statement struct {
	Phase  Phase
	Action Action
	// Batch is the batch of the Change or of the ruling.
	Batch ident.ID
	// Problems are the two created problems of a Change, and its updated one, or 0.
	Problems [3]problem.ID
	// Doomed Changes create one more problem. It exists already, so they have to be
	// refused.
	Doomed bool
	// Only is the kind of a Change with nothing else in it, such as "token" or "log". It
	// is empty for Changes with something of everything.
	Only string
	// Bulk is the number of further comments in the Change.
	Bulk int
	// Position is the position in the Receipt.
	Position int64
	// Number is the number of the Change in the feed, as it was read.
	Number int64
	// Catalogue is its version, as it was shown before a Confirm.
	Catalogue int64
	// Why is the error's text, and Kind its kind.
	Why, Kind string
	// Process is the child's number, in its first Statement.
	Process int
}

// Phase is the state of an action in a Statement.
type Phase string

// The phases.
const (
	Tried        Phase = "tried"        // is about to be done
	Acknowledged Phase = "acknowledged" // was done
	Refused      Phase = "refused"      // was not done, and never will be
	Unknown      Phase = "unknown"      // may have been done or not
	Halfway      Phase = "halfway"      // is half done
)

// Action is an action of a child.
type Action string

// The actions.
const (
	Opening    Action = "open"    // the store
	Restoring  Action = "restore" // an Archive
	Reserving  Action = "reserve" // a number
	Committing Action = "commit"  // a Change
	Ruling     Action = "rule"    // out a batch without a Commit
	Confirming Action = "confirm" // a Change in a View
	Settling   Action = "settle"  // a Change in a View, by Outcome
	Following  Action = "follow"  // the feed to a Change
	Resting    Action = "rest"    // since every writer has met an error, or waits to be killed
)

// Sight reports whether the Statement is about a visible Change, confirmed as safe by the
// store. Every Change in the feed is safe.
func (s Statement) Sight() bool {
	return s.Phase == Acknowledged && (s.Action == Confirming || s.Action == Settling || s.Action == Following)
}

// statementMark begins the lines of Statements: other output may appear there, too.
const statementMark = "conformance: "

// Line returns the statement as a child says it.
func (s Statement) Line() []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // every member has a JSON form
	}
	return []byte(statementMark + string(text) + "\n")
}

// ParseStatement reads a line.
func ParseStatement(line string) (s Statement, ok bool) {
	text, ok := strings.CutPrefix(line, statementMark)
	return s, ok && json.Unmarshal([]byte(text), &s) == nil
}
