package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

// The headers of answers, for the outputs of operations. An empty one is not sent.
type (
	// Tagged is for answers with an entity tag (D20).
	Tagged struct {
		ETag string `header:"ETag" example:"\"3.14.6.3b71d16e7fb88410\"" doc:"Changes with everything that the answer shows."`
	}

	// Revised is for answers about a problem.
	Revised struct {
		Revision Integer `header:"Problem-Revision" example:"3" doc:"The revision of the problem."`
	}

	// Linked is for a page of a list.
	Linked struct {
		Link string `header:"Link" example:"</api/20151105/problems?cursor=eyJ1IjoiIn0>; rel=\"next\"" doc:"The path of the next page, when there is one. The answer to an invalid or too expensive predicate has the path of the page about the language instead, with rel=help."`
	}

	// Located is for what was created.
	Located struct {
		Location string `header:"Location" example:"/api/20151105/problems/12" doc:"The path of what was created."`
	}

	// Replayable is for answers that may come again (D21).
	Replayable struct {
		Replayed string `header:"Idempotency-Replayed" example:"true" doc:"true when this is the answer to an earlier, equal request."`
	}

	// Ignoring is for answers to records that were sent back.
	Ignoring struct {
		Ignored string `header:"Ignored-Members" example:"creationDate, originator" doc:"The members of the body that were not stored, though the problem or object has another value of them: a list of their names."`
	}

	// Uncached is for answers with a secret.
	Uncached struct {
		CacheControl string `header:"Cache-Control" hidden:"true"`
	}
)

// The outputs of most operations. Without a Status, they have the default one of the
// operation.
type (
	output[T any] struct {
		Body wire.JSON[T]
	}

	// noContent is the output of a deletion.
	noContent struct{}

	pageOutput[T any] struct {
		Linked
		Body wire.JSON[T]
	}

	// cachedOutput is an object of the catalogue, or a list of them, unless the client knows it.
	cachedOutput[T any] struct {
		Status int
		Tagged
		Body wire.JSON[T]
	}

	// partOutput is a part of a problem, unless the client knows it.
	partOutput[T any] struct {
		Status int
		Tagged
		Revised
		Body wire.JSON[T]
	}

	// windowOutput is a part of a problem that may come in pages.
	windowOutput[T any] struct {
		Status int
		Tagged
		Revised
		Linked
		Body wire.JSON[T]
	}

	// writtenOutput is an object of a problem, and whether it is new.
	writtenOutput[T any] struct {
		Status int
		Revised
		Body wire.JSON[T]
	}

	// deletedOutput is the output of the deletion of a part of a problem.
	deletedOutput struct {
		Revised
	}
)

// revised returns the header of a revision; there is none for 0.
func revised(revision int64) Revised {
	if revision == 0 {
		return Revised{}
	}
	return Revised{Integer(strconv.FormatInt(revision, 10))}
}

// tagged returns the header of an entity tag. An answer of a dry run has none: nothing has
// this representation (D24).
func (c *call) tagged(tag string) Tagged {
	if c.dryRun {
		return Tagged{}
	}
	return Tagged{tag}
}

// tagOf returns the entity tag of a problem.
func tagOf(a tracker.Answer[snapshot.Snapshot]) string { return etag.Problem(a.Value, a.Catalogue) }

// uncached keeps answers out of caches.
var uncached = Uncached{"no-store"}

// located returns the header of what was created, at a path of the API. Nothing is there after a
// dry run.
func (c *call) located(path string) Located {
	if c.dryRun {
		return Located{}
	}
	return Located{c.server.BasePath + prefix + path}
}

// ignoring names the members sent but not stored.
func ignoring(names []string) Ignoring { return Ignoring{strings.Join(names, ", ")} }

// orKept are the responses of reads that a client may repeat.
func orKept(description string) responses {
	return responses{"200": {Description: description}, "304": {Description: "The client's copy is still right."}}
}

// wrote answers a write to a part of a problem with it: 201 if it is new, else 200 (D10).
func wrote[W, T any](a tracker.Answer[T], err error, encode func(*wire.Encoder, T)) (*writtenOutput[W], error) {
	if err != nil {
		return nil, err
	}
	status := http.StatusOK
	if a.New {
		status = http.StatusCreated
	}
	return &writtenOutput[W]{Status: status, Revised: revised(a.Revision), Body: wire.One[W](a.Catalogue, encode, a.Value)}, nil
}

// unlessKnown returns the body for an entity tag with its status: 304, without the body, if the
// client has it already (D20).
func unlessKnown[W any](c *call, tag string, body func() wire.JSON[W]) (status int, _ wire.JSON[W]) {
	if c.knows(tag) {
		return http.StatusNotModified, wire.JSON[W]{}
	}
	return http.StatusOK, body()
}

// find answers with the object in the path.
func find[W, T any](ctx context.Context, in *findInput, load func(context.Context, ident.ID) (tracker.Answer[T], error), encode func(*wire.Encoder, T)) (*output[W], error) {
	id, err := in.object()
	if err != nil {
		return nil, err
	}
	a, err := load(ctx, id)
	return one[W](a, err, encode)
}

// remove deletes the object in the path.
func remove(ctx context.Context, in *changeInput, drop func(context.Context, tracker.Caller, ident.ID, tracker.Write) (tracker.Answer[struct{}], error)) (*noContent, error) {
	id, err := in.object()
	if err != nil {
		return nil, err
	}
	_, err = drop(ctx, in.caller, id, in.write())
	return &noContent{}, err
}

// one answers with an object.
func one[W, T any](a tracker.Answer[T], err error, encode func(*wire.Encoder, T)) (*output[W], error) {
	if err != nil {
		return nil, err
	}
	return &output[W]{wire.One[W](a.Catalogue, encode, a.Value)}, nil
}

// named returns how a record is written with the names of its tokens.
func named[T any](c *call, encode func(*wire.Encoder, T)) func(*wire.Encoder, T) {
	return func(e *wire.Encoder, v T) {
		e.TokenNames = c.tokenName
		encode(e, v)
	}
}
