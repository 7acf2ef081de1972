package scaffold

import (
	"regexp"
	"strings"

	"github.com/problemtracking/problems/conformance"
)

// group is a stage of the work on an adapter.
type group struct {
	title, hint string
	// profile is the profile of its cases, if it has all of one.
	profile string
	// ids matches its other cases. A case belongs to the first matching group.
	ids string
}

// groups returns the stages in a good order. The last one takes all remaining cases, so a
// growing suite loses none.
func groups() []group {
	return []group{{
		title: "Create a problem and read it back",
		hint: "The frame: a transaction for Commit, a moment for View, and the numbers of Reserve. " +
			"Then all of reader.go: most cases compare everything that can be read, before and after.",
		ids: `^(READ-001/create-problem|READ-002|COM-002/number-taken|ID-001|ERR-001/not-found)$`,
	}, {
		title: "Open and close",
		hint:  "The Gate is there already; release what the store holds behind it.",
		ids:   `^(CLOSE-|VIEW-003$|VIEW-004/before$|ERR-001/cancelled$|SHARE-002$)`,
	}, {
		title: "What belongs to a problem",
		hint:  "The effects on comments, keywords, relationships, watchers, read marks and the log, the parts of a Snapshot, and its size, which an effect brings.",
		ids:   `^(READ-001/(savepoint|comment|put-comment|put-keyword|drop-keyword|relationship|drop-relationship|watch|mark-read|forget-reads|read-by-assignee|log|parts|update-problem)|READ-00[3456](/.*)?|READ-014(/.*)?|READ-020|READ-021|READ-028|SIZE-.*|COM-003|COM-002/(relationship-taken|update-without-problem|comment-missing|rewrite))$`,
	}, {
		title: "Metadata, users, tokens, saved queries, sessions, webhooks, leases, the audit log, replies, and their versions",
		hint:  "A version goes up by 1 for each Change that touches its kind, however much of it: Change.Raises says which.",
		ids:   `^(READ-001/(metadata|replace-metadata|token|query|session|webhook|progress|audit|reply|expire)$|READ-008|READ-009|READ-010|READ-013|READ-015|READ-016|READ-017|READ-023|READ-024|READ-025|READ-026|READ-027|READ-029|READ-030|VER-)`,
	}, {
		title: "Expectations",
		hint:  "All are judged by what was stored before the Change, before its first effect.",
		ids:   `^COM-002/`,
	}, {
		title: "All or nothing, batches, and outcomes",
		hint:  "A batch is looked up before anything else, and a ruling of Outcome is stored like a batch. What is not known is refused before anything is stored.",
		ids:   `^(COM-001|COM-005|COM-006|COM-007|COM-011|OUT-)`,
	}, {
		title: "Order",
		hint:  "A number that goes up with each line that is appended; never its time, and never its identifier.",
		ids:   `^COM-008`,
	}, {
		title: "The feed",
		hint:  "With one writer, number an entry in its transaction. Otherwise number visible entries when somebody reads: a number from before the Commit leaves gaps.",
		ids:   `^(FEED-|READ-022)`,
	}, {
		title: "Views and contexts",
		hint:  "A View is one moment from its beginning, and Commits go on meanwhile. A context that ends counts for a View until its end, for a Commit only until it has begun. Confirm has nothing to do where a View shows only what is safe.",
		ids:   `^(VIEW-00[124]|COM-009|COM-010|CONF-)`,
	}, {
		title: "Text, times, and memory of one's own",
		hint:  "Every byte of a text comes back, whatever a collation makes of it: nothing trimmed, folded, or normalised; null is not the empty text. Times from year 1 to 9999, zero ones as zero. Nothing is shared with the caller.",
		ids:   `^(READ-001/(text|long-text|names-apart|times)$|ALIAS-001/(in|out|kept|catalogue)$)`,
	}, {
		title: "Search",
		hint:  "search.Scan is there already and looks at every problem, by Dossiers. The cases fill the store by Restore.",
		ids:   `^(FIND-|VIEW-002/search$)`,
	}, {
		title:   "Dossiers and Restore",
		hint:    "Moving everything out and in. Restore is one Change as far as anybody can see.",
		profile: "migration",
		ids:     `^(READ-011|READ-012|ALIAS-001/dossiers|RES-)`,
	}, {
		title:   "Many at once",
		hint:    "Expectations are checked and effects applied under one lock, or in transactions of which one is refused or repeated.",
		profile: "concurrency",
	}, {
		title:   "Random sequences",
		hint:    "What fails here is missing above: the shortest sequence is shown, with its seed.",
		profile: "model",
	}, {
		title:   "Durability",
		hint:    "What Commit acknowledged is there after Close and Open, after a kill, and after losing all that was not synced: the file, and the directory that names it.",
		profile: "durability",
	}, {
		title:   "Sharing",
		hint:    "The same rules through two handles on the same data: nothing that one of them keeps in memory may be taken for the truth.",
		profile: "sharing",
	}, {
		title: "Everything else",
		ids:   ``,
	}}
}

// place returns the index of a case's group.
func place(c conformance.Case, all []group) int {
	profile := c.Profile
	if profile == "port" && strings.HasSuffix(c.ID, "/at-once") {
		profile = "concurrency"
	}
	for i, g := range all {
		if g.profile == profile {
			return i
		}
	}
	for i, g := range all[:len(all)-1] {
		if g.ids != "" && regexp.MustCompile(g.ids).MatchString(c.ID) {
			return i
		}
	}
	return len(all) - 1
}
