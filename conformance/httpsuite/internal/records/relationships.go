package records

import (
	"fmt"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// relationshipCases are about relationships (W6, W7, R3).
func relationshipCases() []session.Case {
	return []session.Case{
		session.Core("HTTP-W6-001", "D6, D10", "a new relationship is answered with 201 and the relationship", relationshipIsCreated),
		session.Core("HTTP-W6-002", "spec section 2, D7", "each type comes with its mirror, and is deleted with it from either side", eachTypeHasItsMirror),
		session.Core("HTTP-W6-003", "D8, D10", "adding what is there, from either side, is answered with 200 and changes nothing", sameRelationshipChangesNothing),
		session.Core("HTTP-W6-004", "spec section 2, D7", "a type cannot be changed in place: the relationship is deleted first", typeIsNotChangedInPlace),
		session.Core("HTTP-W6-005", "D7", "two problems have at most one relationship per family, and may have one of each", oneRelationshipPerFamily),
		session.Extended("HTTP-W6-006", "D7", "no problem is related to itself", problemIsNotRelatedToItself),
		session.Extended("HTTP-W6-007", "D14", "an unknown other problem is 422 at /problemIdentifier", unknownOtherProblem),
		session.Extended("HTTP-W6-008", "D14, D18", "the faults of a relationship's body, on W6 and W7 alike", faultsOfARelationship),
		session.Extended("HTTP-W6-009", "D14", "a problem.identifier that differs is refused with 422", differingIdentifiersOfTheOtherProblem),
		session.Core("HTTP-W7-001", "D10, D14", "a relationship as R3 returned it can be sent to W6 and W7", listedRelationshipCanBeSent),
		session.Extended("HTTP-W7-002", "D10, D14", "deleting what is not there is relationship-not-found, also for an unknown other problem", missingRelationshipIsNotDeleted),
		session.Core("HTTP-R3-001", "D10", "relationships are listed by type code, then identifier", relationshipsAreOrdered),
		session.Core("HTTP-R3-002", "D6", "the other problem is shown as it is now", otherProblemIsShownAsItIs),
		session.Extended("HTTP-W7-007", "D14", "a number that no problem can have is a problem that there is not", impossibleNumberOfTheOtherProblem),
		session.Core("HTTP-R3-003", "spec section 4", "all relationships are listed, however many there are", manyRelationshipsAreListed),
		session.Core("HTTP-R3-004", "spec section 2, D6", "a relationship is the same seen from either side: its author, its date, and the other problem's title and state", relationshipIsTheSameFromEitherSide),
		session.Extended("HTTP-R3-005", "D6, D9", "a relationship is dated when it was made", relationshipIsDated),
	}
}

func relationshipIsCreated(s *session.Session) {
	bob, p := s.User(), s.Problem()
	q := s.Create(s.Admin, `"state":{"name":"Open"}`)
	a := bob.Put(p.Path+"/relationships", session.Link("ParentOf", q)).Is(201)
	a.JSON()
	a.Members("", "type", "problemIdentifier", "creationDate", "author", "problem").Timed("/creationDate")
	a.Has("/type", "ParentOf").Has("/problemIdentifier", q.ID).Has("/author", bob.Ref())
	other := q.Load(s.Admin)
	a.Has("/problem", map[string]any{"identifier": q.ID, "title": other.Text("/title"),
		"state": map[string]any{"identifier": other.Text("/state/identifier"), "name": "Open"}})
}

func eachTypeHasItsMirror(s *session.Session) {
	for _, kind := range session.RelationshipTypes {
		p, q := s.Problem(), s.Problem()
		s.Relate(p, kind.Name, q)
		s.Linked(p, q.As(kind.Name))
		s.Linked(q, p.As(kind.Mirror))
		p.Load(s.Admin).Has("/revision", 2)
		q.Load(s.Admin).Has("/revision", 2)
		s.Admin.Delete(q.Path+"/relationships", session.Link(kind.Mirror, p)).Is(204)
		s.Linked(p)
		s.Linked(q)
		p.Load(s.Admin).Has("/revision", 3)
		q.Load(s.Admin).Has("/revision", 3)
	}
}

func sameRelationshipChangesNothing(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	first := s.Admin.Put(p.Path+"/relationships", session.Link("CauseOf", q)).Is(201)
	s.Untouched(p, func() {
		s.Untouched(q, func() {
			s.User().Put(p.Path+"/relationships", session.Link("CauseOf", q)).Is(200).Has("", first.Value)
			s.Admin.Put(q.Path+"/relationships", session.Link("CausedBy", p)).Is(200).Has("/creationDate", first.Text("/creationDate"))
		})
	})
}

func typeIsNotChangedInPlace(s *session.Session) {
	for i := 1; i < len(session.RelationshipTypes); i += 2 {
		kind := session.RelationshipTypes[i]
		p, q := s.Problem(), s.Problem()
		s.Relate(p, kind.Name, q)
		s.Untouched(p, func() {
			s.Admin.Put(p.Path+"/relationships", session.Link(kind.Mirror, q)).Refused()
			s.Admin.Put(q.Path+"/relationships", session.Link(kind.Name, p)).Refused()
		})
		s.Admin.Delete(p.Path+"/relationships", session.Link(kind.Name, q)).Is(204)
		s.Relate(p, kind.Mirror, q)
	}
}

func oneRelationshipPerFamily(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	s.Relate(p, "ClonedFrom", q)
	s.Relate(p, "BlockerOf", q)
	s.Relate(p, "RelatedTo", q)
	s.Relate(p, "ChildOf", q)
	s.Relate(p, "CausedBy", q)
	s.Relate(p, "OriginalOf", q)
	s.Linked(p, q.As("RelatedTo"), q.As("ChildOf"), q.As("OriginalOf"), q.As("CausedBy"), q.As("BlockerOf"), q.As("ClonedFrom"))
	s.Linked(q, p.As("RelatedTo"), p.As("ParentOf"), p.As("DuplicateOf"), p.As("CauseOf"), p.As("BlockedBy"), p.As("ClonedTo"))
}

func problemIsNotRelatedToItself(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, kind := range session.RelationshipTypes {
			s.Admin.Put(p.Path+"/relationships", session.Link(kind.Name, p)).Fault(422, "invalid-value", "/problemIdentifier")
		}
	})
}

func unknownOtherProblem(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		for _, other := range []string{"999999999999", "0", "-1", "9223372036854775808", "99999999999999999999999"} {
			s.Admin.Put(p.Path+"/relationships", `{"type":"ParentOf","problemIdentifier":`+other+`}`).Fault(422, "invalid-value", "/problemIdentifier")
		}
	})
}

func faultsOfARelationship(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	s.Untouched(p, func() {
		for _, call := range []func(string, string, ...session.Option) *session.Answer{s.Admin.Put, s.Admin.Delete} {
			path := p.Path + "/relationships"
			call(path, `{}`).Fault(422, "required-field", "/type", "/problemIdentifier")
			call(path, `{"type":"ParentOf"}`).Fault(422, "required-field", "/problemIdentifier")
			call(path, fmt.Sprintf(`{"problemIdentifier":%d}`, q.ID)).Fault(422, "required-field", "/type")
			call(path, fmt.Sprintf(`{"type":"FriendOf","problemIdentifier":%d}`, q.ID)).Fault(422, "invalid-value", "/type")
			call(path, fmt.Sprintf(`{"type":"parentOf","problemIdentifier":%d}`, q.ID)).Fault(422, "invalid-value", "/type")
			call(path, fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":"%d"}`, q.ID)).Fault(422, "invalid-type", "/problemIdentifier")
			call(path, fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%d.0}`, q.ID)).Fault(422, "invalid-type", "/problemIdentifier")
			call(path, `{"type":"ParentOf","problemIdentifier":1e0}`).Fault(422, "invalid-type", "/problemIdentifier")
			call(path, `{"type":200,"problemIdentifier":true}`).Fault(422, "invalid-type", "/type", "/problemIdentifier")
			call(path, fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%d,"mirror":"ChildOf","Type":"x"}`, q.ID)).Fault(422, "unknown-field", "/mirror", "/Type")
			call(path, `[]`).Fault(422, "invalid-type", "")
			call(path, ``).Fault(400, "malformed-json")
			call(path, session.Link("ParentOf", q), session.Plain()).Fault(415, "unsupported-media-type")
		}
	})
}

func differingIdentifiersOfTheOtherProblem(s *session.Session) {
	p, q, r := s.Problem(), s.Problem(), s.Problem()
	body := fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%d,"problem":{"identifier":%d}}`, q.ID, r.ID)
	s.Untouched(p, func() { s.Admin.Put(p.Path+"/relationships", body).Fault(422, "", "/problem/identifier") })
	s.Relate(p, "ParentOf", q)
	s.Untouched(p, func() { s.Admin.Delete(p.Path+"/relationships", body).Fault(422, "", "/problem/identifier") })
}

func listedRelationshipCanBeSent(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	s.Relate(p, "BlockedBy", q)
	read := s.Admin.Get(p.Path + "/relationships").Is(200).Part("/0")
	s.Untouched(p, func() { s.Admin.Put(p.Path+"/relationships", read).Is(200) })
	s.Admin.Delete(p.Path+"/relationships", read).Is(204).Empty()
	s.Linked(q)
	s.Admin.Put(p.Path+"/relationships", read).Is(201)
}

func missingRelationshipIsNotDeleted(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	s.Relate(p, "ParentOf", q)
	s.Untouched(p, func() {
		s.Admin.Delete(p.Path+"/relationships", session.Link("ChildOf", q)).Fault(404, "relationship-not-found")
		s.Admin.Delete(p.Path+"/relationships", session.Link("RelatedTo", q)).Fault(404, "relationship-not-found")
		s.Admin.Delete(q.Path+"/relationships", session.Link("ParentOf", p)).Fault(404, "relationship-not-found")
		s.Admin.Delete(p.Path+"/relationships", session.Link("ParentOf", p)).Is(404)
		s.Admin.Delete(p.Path+"/relationships", `{"type":"ParentOf","problemIdentifier":999999999999}`).Fault(404, "relationship-not-found")
	})
	s.Admin.Delete(p.Path+"/relationships", session.Link("ParentOf", q)).Is(204)
	s.Admin.Delete(p.Path+"/relationships", session.Link("ParentOf", q)).Fault(404, "relationship-not-found")
}

func relationshipsAreOrdered(s *session.Session) {
	p, a, b := s.Problem(), s.Problem(), s.Problem()
	s.Admin.Get(p.Path+"/relationships").Is(200).Has("", session.Raw(`[]`))
	s.Relate(p, "BlockedBy", b)
	s.Relate(p, "ParentOf", b)
	s.Relate(p, "ChildOf", a)
	s.Relate(p, "RelatedTo", b)
	s.Relate(p, "RelatedTo", a)
	s.Linked(p, a.As("RelatedTo"), b.As("RelatedTo"), b.As("ParentOf"), a.As("ChildOf"), b.As("BlockedBy"))
}

func otherProblemIsShownAsItIs(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	s.Relate(p, "ParentOf", q)
	s.Admin.Patch(q.Path, `{"title":"Renamed","state":{"name":"Closed"}}`).Is(200)
	s.Admin.Get(p.Path+"/relationships").Is(200).Has("/0/problem/title", "Renamed").Has("/0/problem/state/name", "Closed")
}

func impossibleNumberOfTheOtherProblem(s *session.Session) {
	p := s.Problem()
	for _, other := range []string{"0", "-1", "99999999999999999999"} {
		body := `{"type":"ParentOf","problemIdentifier":` + other + `}`
		s.Admin.Delete(p.Path+"/relationships", body).Fault(404, "relationship-not-found")
		s.Admin.Put(p.Path+"/relationships", body).Fault(422, "invalid-value", "/problemIdentifier")
	}
}

func manyRelationshipsAreListed(s *session.Session) {
	p := s.Problem()
	var want []string
	others := make([]session.Problem, 10)
	for i := range others {
		others[i] = s.Problem()
	}
	for i := 0; i < len(session.RelationshipTypes); i += 2 { // one of each family
		kind := session.RelationshipTypes[i].Name
		for _, q := range others {
			s.Relate(p, kind, q)
			want = append(want, q.As(kind))
		}
	}
	s.Linked(p, want...)
}

func relationshipIsTheSameFromEitherSide(s *session.Session) {
	bob := s.User()
	for _, kind := range session.RelationshipTypes {
		p, q := s.Problem(), s.Create(s.Admin)
		made := bob.Put(p.Path+"/relationships", session.Link(kind.Name, q)).Is(201)
		s.Admin.Get(p.Path+"/relationships").Is(200).Counts("", 1).Has("/0", made.Value)
		there := p.Load(s.Admin)
		mirror := s.Admin.Get(q.Path+"/relationships").Is(200).Counts("", 1).Members("/0", "type", "problemIdentifier", "creationDate", "author", "problem")
		mirror.Has("/0/type", kind.Mirror).Has("/0/problemIdentifier", p.ID).Has("/0/author", bob.Ref()).Has("/0/creationDate", made.Text("/creationDate"))
		mirror.Has("/0/problem", map[string]any{"identifier": p.ID, "title": there.Text("/title"),
			"state": map[string]any{"identifier": there.Text("/state/identifier"), "name": there.Text("/state/name")}})
	}
}

func relationshipIsDated(s *session.Session) {
	p, q := s.Problem(), s.Problem()
	since := q.Load(s.Admin).Text("/creationDate")
	dated(s, since, s.Admin.Put(p.Path+"/relationships", session.Link("ParentOf", q)).Is(201), "/creationDate")
	for _, side := range []session.Problem{p, q} {
		dated(s, since, s.Admin.Get(side.Path+"/relationships").Is(200), "/0/creationDate")
	}
}
