package httpapi

import (
	"net/http"
	"strings"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker"
)

// metadataKind describes the API for one kind of metadata object, or for users (D30). T
// is such an object; P is its patch, with the members set by clients. See
// metadata_kinds.go and users.go for all kinds.
type metadataKind[T, P any] struct {
	one, many string // such as "state" and "states"; the latter is also the path of the list
	tag       string
	order     string // of the list, in words
	about     string // advice for clients about to change one

	objects    func(*tracker.Service) tracker.Objects[T, P]
	identifier func(T) ident.ID
	encode     func(*wire.Encoder, T)
	members    func(*P) []wire.Member
	readOnly   func(*tracker.ObjectServiceFields) wire.Member // the read-only member beside the identifier; or nil

	createScope access.Scope
	record      any // the type of package wire; so are the following
	records     any // a slice of it
	created     any // the record, with an optional identifier
	create      any // the body of POST
	patch       any // the body of PATCH
	sampleList  []T // all of its kind in the catalogue of the samples
	creates     sample[T]
	updates     sample[T]    // its object is one of sampleList, after the update
	faults      []fault.Kind // of both writes, beside the kinds common to all
	more        []fault.Kind // of the second one alone
}

// sample is the body of a request and its result.
type sample[T any] struct {
	body   string
	object T
}

func (k metadataKind[T, P]) endpoints() []endpoint {
	one, many := strings.ToUpper(k.one[:1])+k.one[1:], strings.ToUpper(k.many[:1])+k.many[1:]
	show := func(o T) func(*wire.Encoder) { return func(e *wire.Encoder) { k.encode(e, o) } }
	kept := result{status: 304, description: "The client's copy is still right.", headers: []string{"ETag"}}
	faults := append([]fault.Kind{fault.UnknownField, fault.ValidationFailed, fault.AlreadyExists}, k.faults...)
	return []endpoint{
		{
			id: "list" + many, method: http.MethodGet, path: "/" + k.many, tag: k.tag,
			summary: "List all " + k.many,
			scope:   access.Read,
			headers: []string{"If-None-Match"},
			answers: []result{
				{status: 200, description: "The " + k.many + ", " + k.order + ".", of: k.records, headers: []string{"ETag"},
					example: func(e *wire.Encoder) { k.encodeList(e, k.sampleList) }},
				kept,
			},
			do: k.list,
		},
		{
			id: "create" + one, method: http.MethodPost, path: "/" + k.many, tag: k.tag,
			summary: "Create a " + k.one,
			scope:   k.createScope,
			headers: []string{"Idempotency-Key"},
			bodies:  jsonBody(k.creates.body, k.create),
			answers: []result{{status: 201, description: "The " + k.one + " that was created.", of: k.created,
				example: show(k.creates.object), headers: []string{"Location", "Idempotency-Replayed", "Ignored-Members", "Dry-Run"}}},
			faults: append([]fault.Kind{fault.RequiredField, fault.IdempotencyConflict}, faults...),
			do:     k.post,
		},
		{
			id: "load" + one, method: http.MethodGet, path: "/" + k.many + "/{identifier}", tag: k.tag,
			summary: "Load a " + k.one,
			scope:   access.Read,
			headers: []string{"If-None-Match"},
			answers: []result{
				{status: 200, description: "The " + k.one + ".", of: k.record, example: show(k.sampleList[0]), headers: []string{"ETag"}},
				kept,
			},
			faults: []fault.Kind{fault.NotFound},
			do:     k.load,
		},
		{
			id: "update" + one, method: http.MethodPatch, path: "/" + k.many + "/{identifier}", tag: k.tag,
			summary:     "Update fields of a " + k.one,
			description: strings.TrimSpace("Members that are left out stay as they are. " + k.about),
			scope:       access.Admin,
			bodies:      jsonBody(k.updates.body, k.patch, k.record),
			answers: []result{{status: 200, description: "The " + k.one + " as it is now.", of: k.record,
				example: show(k.updates.object), headers: []string{"Dry-Run"}}},
			faults: append(append([]fault.Kind{fault.NotFound, fault.ReadOnlyField}, faults...), k.more...),
			do:     k.update,
		},
	}
}

func (k metadataKind[T, P]) encodeList(e *wire.Encoder, objects []T) {
	wire.List(e, objects, func(o T) { k.encode(e, o) })
}

func (k metadataKind[T, P]) list(c *call) (answer, error) {
	a, err := k.objects(c.Service).List(c.r.Context())
	if err != nil {
		return answer{}, err
	}
	return c.unlessKnown(etag.Catalogue(a.Catalogue), 0, func() []byte {
		return listInParts(c, a.Catalogue, a.Value, k.encode)
	}), nil
}

func (k metadataKind[T, P]) load(c *call) (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	a, err := k.objects(c.Service).Load(c.r.Context(), id)
	if err != nil {
		return answer{}, err
	}
	return c.unlessKnown(etag.Catalogue(a.Catalogue), 0, func() []byte { return k.body(a) }), nil
}

func (k metadataKind[T, P]) post(c *call) (answer, error) {
	cmd := tracker.CreateObject[P]{Write: tracker.Write{DryRun: c.dryRun}}
	members := k.members(&cmd.Patch)
	for _, m := range k.serviceMembers(&cmd.Service) {
		members = append(members, wire.Member{Name: m.Name, Into: wire.Ignored{Into: m.Into}})
	}
	created := func(a tracker.Answer[T]) answer {
		header := http.Header{}
		if !c.dryRun {
			header.Set("Location", c.BasePath+prefix+"/"+k.many+"/"+k.identifier(a.Value).String())
		}
		setIgnored(header, a.Ignored)
		return answer{status: http.StatusCreated, header: header, body: k.body(a)}
	}
	key, err := idempotency(c, created)
	if err != nil {
		return answer{}, err
	}
	if err := c.decode(&cmd.Faults, members...); err != nil {
		return answer{}, err
	}
	a, err := k.objects(c.Service).CreateOnce(c.r.Context(), c.caller, cmd, key)
	return answered(a, err, created)
}

// serviceMembers are the read-only members.
func (k metadataKind[T, P]) serviceMembers(sent *tracker.ObjectServiceFields) []wire.Member {
	members := []wire.Member{{Name: "identifier", Into: &sent.Identifier}}
	if k.readOnly != nil {
		members = append(members, k.readOnly(sent))
	}
	return members
}

func (k metadataKind[T, P]) update(c *call) (answer, error) {
	cmd := tracker.UpdateObject[P]{Write: tracker.Write{DryRun: c.dryRun}}
	members := append(k.members(&cmd.Patch), k.serviceMembers(&cmd.Service)...)
	if err := c.decode(&cmd.Faults, members...); err != nil {
		return answer{}, err
	}
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	a, err := k.objects(c.Service).Update(c.r.Context(), c.caller, id, cmd)
	return answered(a, err, func(a tracker.Answer[T]) answer {
		return answer{status: http.StatusOK, body: k.body(a)}
	})
}

func (k metadataKind[T, P]) body(a tracker.Answer[T]) []byte {
	e := wire.Encoder{Catalogue: a.Catalogue}
	k.encode(&e, a.Value)
	return e.Buf
}
