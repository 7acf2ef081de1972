package httpapi

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/domain/tracker"
)

// The parameters of operations. Their fields describe them to the OpenAPI document, where
// the name of the field is the key. Request reads them: Huma would take the first of two
// lines of a header, and an empty parameter for none.
type (
	// OfProblem is for operations about a problem.
	OfProblem struct {
		Problem Integer `path:"identifier" format:"int64" minimum:"1" example:"12" doc:"The problem's identifier."`
	}

	// OfObject is for operations about another object.
	OfObject struct {
		Object string `path:"identifier" format:"uuid" example:"0150d4f1-6000-7000-8000-000000000001" doc:"The object's identifier."`
	}

	// OfKeyword is for operations about a keyword of a problem.
	OfKeyword struct {
		OfProblem
		Keyword string `path:"keyword" example:"version" doc:"The keyword's name. A slash in it is sent as %2F."`
	}

	// OfComment is for operations about a comment of a problem.
	OfComment struct {
		OfProblem
		Comment string `path:"comment" format:"uuid" example:"0150d4f1-6000-7000-8000-00000000000e" doc:"The comment's identifier."`
	}

	// OfAttachment is for operations about an attachment of a problem.
	OfAttachment struct {
		OfProblem
		Attachment string `path:"attachment" format:"uuid" example:"0150d4f1-6000-7000-8000-000000000020" doc:"The attachment's identifier."`
	}

	// Named is for files.
	Named struct {
		ContentDisposition string `header:"Content-Disposition" required:"true" example:"attachment; filename=\"screen shot.png\"" doc:"The name of the file (RFC 6266). It has 1 to 255 characters and no folder."`
	}

	// Ranged is for the bytes of a file.
	Ranged struct {
		Range   string `header:"Range" example:"bytes=0-1023" doc:"Answer only these bytes, with 206 (RFC 9110)."`
		IfRange string `header:"If-Range" example:"\"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\"" doc:"Answer the range only if the file has this ETag, and otherwise all of it."`
	}

	// Write is for all writes (D24).
	Write struct {
		DryRun Boolean `query:"dryRun" example:"true" doc:"true: do everything but store, and answer what would have been answered; a problem, metadata object or user that would have been created has no identifier."`
	}

	// Previewed is for changes in two steps (D24).
	Previewed struct {
		Preview string `query:"preview" doc:"What the answer to the same request with dryRun=true has as preview. Without it, there can only be a dry run."`
	}

	// OfBatch is for operations about a batch in the log of a problem.
	OfBatch struct {
		OfProblem
		Batch string `path:"batch" format:"uuid" example:"0150d4f1-6000-7000-8000-00000000000d" doc:"The batchIdentifier of its entries in the log."`
	}

	// Keyed is for requests that are stored once (D21).
	Keyed struct {
		IdempotencyKey string `header:"Idempotency-Key" example:"8e03978e-40d5-43e8-bc93-6894a57f9324" doc:"Makes the request repeatable for 24 hours: the same key with the same request gets the first answer again. 1 to 255 visible characters. All that creates something with POST takes one, but for tokens and webhooks, whose answers hold a secret. So do the PATCH of a problem and the PUT that takes a claim. GET, DELETE and every other PATCH and PUT ignore it: repeated, they do nothing more, and If-Match tells whether somebody else has written meanwhile."`
	}

	// Matching is for changes of a problem (D20).
	Matching struct {
		IfMatch string `header:"If-Match" example:"\"3\"" doc:"Write only if the problem is at this revision: an ETag of the problem, or the revision in quotes; several in a list; or *."`
		Claim   string `header:"Claim" format:"uuid" example:"0150d4f1-6000-7000-8000-000000000021" doc:"Write only while this is the identifier of the problem's claim: if somebody else has it by now, the answer is 412."`
	}

	// Based is for changes that began with an earlier revision (D52).
	Based struct {
		Base Integer `query:"base" format:"int64" minimum:"1" example:"3" doc:"The change began with this revision: fields that others have changed since are kept. When both set a field, to different values, the answer is 412 with the fields in errors, and nothing is stored."`
	}

	// Cached is for reads that a client may repeat (D20).
	Cached struct {
		IfNoneMatch string `header:"If-None-Match" example:"\"3.14.6.3b71d16e7fb88410\"" doc:"Answer 304 if the ETag is still this one."`
	}

	// Past is for reads of a problem as it stood (D36).
	Past struct {
		AsOf string `query:"asOf" example:"3" doc:"Show this as it stood: at a revision, which is a whole number, or at a time (RFC 3339). What is referred to is shown as it is today."`
	}

	// Windowed is for lists in a problem.
	Windowed struct {
		WindowLimit Limit `query:"limit" example:"100" doc:"How many are wanted at most: all when left out."`
		Continued
	}

	// Continued is for lists that only grow.
	Continued struct {
		WindowCursor string `query:"cursor" doc:"Where to go on: from the link to the next page."`
	}

	// Paged is for lists in pages.
	Paged struct {
		PageLimit PageLimit `query:"limit" example:"100" doc:"How many are wanted at most."`
	}

	// Selected is for what a predicate selects.
	Selected struct {
		Predicate  string `query:"predicate" example:"state.resolved = NO AND assignee.identifier = $ApiUser" doc:"The condition in the [predicate language](docs/predicates), a part of NSPredicate. It is required, unless a savedQuery stands for it."`
		SavedQuery string `query:"savedQuery" example:"0150d4f1-6000-7000-8000-00000000001e" doc:"Instead of predicate: the identifier of a saved query, or a URL whose last path segment is one. A title after the URL does not count."`
	}

	// Sorted is for searches of problems.
	Sorted struct {
		Sort string `query:"sort" example:"-priority.order,title" doc:"The order: key paths, separated by commas; a minus before one descends; nulls come last in either direction. What it does not tell apart is in the order of identifiers, and so is all without it. In pages, an order by what changes can lose objects: see the search."`
	}

	// Limited is for searches.
	Limited struct {
		Limit Limit `query:"limit" example:"100" doc:"How many are wanted at most: the whole result when left out."`
	}

	// Following is for the next page of a search.
	Following struct {
		Cursor string `query:"cursor" doc:"Where to go on: from the link to the next page. It is good for the same predicate, sort and user."`
	}

	// Detailed is for searches of problems.
	Detailed struct {
		IncludeDetail Boolean `query:"includeDetail" example:"false" doc:"true: with the logs of the problems."`
	}

	// Chosen is for reads of problems.
	Chosen struct {
		Fields string `query:"fields" example:"identifier,title,state.name" doc:"The members to answer, with no others: dotted names, separated by commas. All when left out."`
	}
)

// The texts of parameters that are no texts for clients.
type (
	Integer   string
	Boolean   string
	Limit     string // of a list
	PageLimit string // of a list of usualLimit without it
	Seconds   string // of a wait
)

// Schema implements huma.SchemaProvider.
func (Integer) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger} }

// Schema implements huma.SchemaProvider.
func (Boolean) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeBoolean} }

// Schema implements huma.SchemaProvider.
func (Limit) Schema(huma.Registry) *huma.Schema { return integer(1, tracker.MostOnPage, nil) }

// Schema implements huma.SchemaProvider.
func (PageLimit) Schema(huma.Registry) *huma.Schema {
	return integer(1, tracker.MostOnPage, usualLimit)
}

// Schema implements huma.SchemaProvider.
func (Seconds) Schema(huma.Registry) *huma.Schema { return integer(0, mostWait, 0) }

func integer(least, most float64, usual any) *huma.Schema {
	return &huma.Schema{Type: huma.TypeInteger, Minimum: &least, Maximum: &most, Default: usual}
}

// The names of parameters in the query, also of members of the body of a search (D31).
const (
	paramDryRun        = "dryRun"
	paramAsOf          = "asOf"
	paramPredicate     = "predicate"
	paramSavedQuery    = "savedQuery"
	paramSort          = "sort"
	paramLimit         = "limit"
	paramCursor        = "cursor"
	paramIncludeDetail = "includeDetail"
	paramFields        = "fields"
	paramPreview       = "preview"
	paramBase          = "base"
	paramAfter         = "after"
	paramWait          = "wait"
	paramProblem       = "problem"
)

// lastEventID is a header of requests for events (D39).
const lastEventID = "Last-Event-ID"
