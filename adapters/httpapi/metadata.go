package httpapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

// metadataKind describes the API for one kind of metadata object, or for users (D30). T
// is such an object, and P its patch, with the members set by clients. W is the record of
// package wire, and C the same with an optional identifier. See metadata_kinds.go and users.go
// for all kinds.
type metadataKind[T, P, W, C any] struct {
	one, many string // such as "state" and "states"; the latter is also the path of the list
	tag       string
	order     string // of the list, in words
	about     string // advice for clients about to change one

	objects    func(*admin.Service) admin.Objects[T, P]
	identifier func(T) ident.ID
	encode     func(*wire.Encoder, T)
	members    func(*P) []wire.Member
	readOnly   func(*admin.ObjectServiceFields) wire.Member // the read-only member beside the identifier; or nil

	scope      access.Scope // for a new object, and for changes
	create     any          // the body of POST, of package wire
	patch      any          // the body of PATCH
	sampleList []T          // all of its kind in the catalogue of the samples
	creates    sample[T]
	updates    sample[T]    // its object is one of sampleList, after the update
	faults     []fault.Kind // of both writes, beside the kinds common to all
	more       []fault.Kind // of the second one alone
}

// sample is the body of a request and its result.
type sample[T any] struct {
	body   string
	object T
}

func (k metadataKind[T, P, W, C]) register(s *server) {
	one, many, tags := strings.ToUpper(k.one[:1])+k.one[1:], strings.ToUpper(k.many[:1])+k.many[1:], []string{k.tag}
	show := func(o T) func(*wire.Encoder) { return func(e *wire.Encoder) { k.encode(e, o) } }
	faults := append([]fault.Kind{fault.UnknownField, fault.ValidationFailed, fault.AlreadyExists}, k.faults...)
	register(s, huma.Operation{
		OperationID: "list" + many, Method: http.MethodGet, Path: "/" + k.many, Tags: tags,
		Summary:   "List all " + k.many,
		Security:  needs(access.Read),
		Responses: orKept("The " + k.many + ", " + k.order + "."),
		Metadata: about(func(e *wire.Encoder) {
			wire.List(e, k.sampleList, func(o T) { k.encode(e, o) })
		}),
	}, k.list(s))
	register(s, huma.Operation{
		OperationID: "create" + one, Method: http.MethodPost, Path: "/" + k.many, Tags: tags,
		Summary:   "Create a " + k.one,
		Security:  needs(k.scope),
		Responses: responses{"201": {Description: "The " + k.one + " that was created."}},
		Metadata: about(show(k.creates.object), append([]fault.Kind{fault.RequiredField, fault.IdempotencyConflict}, faults...)...).
			json(k.creates.body, k.create),
	}, k.post(s))
	register(s, huma.Operation{
		OperationID: "load" + one, Method: http.MethodGet, Path: "/" + k.many + "/{identifier}", Tags: tags,
		Summary:   "Load a " + k.one,
		Security:  needs(access.Read),
		Responses: orKept("The " + k.one + "."),
		Metadata:  about(show(k.sampleList[0]), fault.NotFound),
	}, k.load(s))
	register(s, huma.Operation{
		OperationID: "update" + one, Method: http.MethodPatch, Path: "/" + k.many + "/{identifier}", Tags: tags,
		Summary:     "Update fields of a " + k.one,
		Description: strings.TrimSpace("Members that are left out stay as they are. " + k.about),
		Security:    needs(k.scope),
		Responses:   responses{"200": {Description: "The " + k.one + " as it is now."}},
		Metadata: about(show(k.updates.object), append(append([]fault.Kind{fault.NotFound, fault.ReadOnlyField}, faults...), k.more...)...).
			json(k.updates.body, k.patch, *new(W)),
	}, k.update(s))
}

type cachedInput struct {
	Request
	Cached
}

func (k metadataKind[T, P, W, C]) list(s *server) func(context.Context, *cachedInput) (*cachedOutput[[]W], error) {
	return func(ctx context.Context, in *cachedInput) (*cachedOutput[[]W], error) {
		a, err := k.objects(s.Service.Administration).List(ctx)
		return cached(in.call, a.Catalogue, err, func() wire.JSON[[]W] { return listOf[W](in.call, a.Catalogue, a.Value, k.encode) })
	}
}

type objectInput struct {
	Request
	OfObject
	Cached
}

func (k metadataKind[T, P, W, C]) load(s *server) func(context.Context, *objectInput) (*cachedOutput[W], error) {
	return func(ctx context.Context, in *objectInput) (*cachedOutput[W], error) {
		id, err := in.object()
		if err != nil {
			return nil, err
		}
		a, err := k.objects(s.Service.Administration).Load(ctx, id)
		return cached(in.call, a.Catalogue, err, func() wire.JSON[W] { return wire.One[W](a.Catalogue, k.encode, a.Value) })
	}
}

// cached answers with a body from the catalogue, unless the client knows it.
func cached[W any](c *call, catalogue *metadata.Catalogue, err error, body func() wire.JSON[W]) (*cachedOutput[W], error) {
	if err != nil {
		return nil, err
	}
	out := &cachedOutput[W]{Tagged: Tagged{etag.Catalogue(catalogue)}}
	out.Status, out.Body = unlessKnown(c, out.ETag, body)
	return out, nil
}

func (k metadataKind[T, P, W, C]) post(s *server) func(context.Context, *createInput) (*createdOutput[C], error) {
	return func(ctx context.Context, in *createInput) (*createdOutput[C], error) {
		cmd := admin.CreateObject[P]{Write: in.write()}
		members := k.members(&cmd.Patch)
		for _, m := range k.serviceMembers(&cmd.Service) {
			members = append(members, wire.Member{Name: m.Name, Into: wire.Ignored{Into: m.Into}})
		}
		created := func(a tracker.Answer[T]) *createdOutput[C] {
			return &createdOutput[C]{
				Located: in.located("/" + k.many + "/" + k.identifier(a.Value).String()), Ignoring: ignoring(a.Ignored),
				Body: wire.One[C](a.Catalogue, k.encode, a.Value),
			}
		}
		key, err := idempotency(in.call, created)
		if err != nil {
			return nil, err
		}
		if err := in.decode(&cmd.Faults, members...); err != nil {
			return nil, err
		}
		a, err := k.objects(s.Service.Administration).CreateOnce(ctx, in.caller, cmd, key)
		return answered(in.call, a, err, created)
	}
}

type createdOutput[C any] struct {
	Located
	Replayable
	Ignoring
	Body wire.JSON[C]
}

// serviceMembers are the read-only members.
func (k metadataKind[T, P, W, C]) serviceMembers(sent *admin.ObjectServiceFields) []wire.Member {
	members := []wire.Member{{Name: "identifier", Into: &sent.Identifier}}
	if k.readOnly != nil {
		members = append(members, k.readOnly(sent))
	}
	return members
}

func (k metadataKind[T, P, W, C]) update(s *server) func(context.Context, *changeInput) (*output[W], error) {
	return func(ctx context.Context, in *changeInput) (*output[W], error) {
		cmd := admin.UpdateObject[P]{Write: in.write()}
		members := append(k.members(&cmd.Patch), k.serviceMembers(&cmd.Service)...)
		if err := in.decode(&cmd.Faults, members...); err != nil {
			return nil, err
		}
		id, err := in.object()
		if err != nil {
			return nil, err
		}
		a, err := k.objects(s.Service.Administration).Update(ctx, in.caller, id, cmd)
		return one[W](a, err, k.encode)
	}
}
