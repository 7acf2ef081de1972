package httpsuite

import (
	"fmt"
)

// relationshipCases are about relationships (W6, W7, R3).
func relationshipCases() []demand {
	return []demand{
		{core, "HTTP-W6-001", "D6, D10", "a new relationship is answered with 201 and the relationship", relationshipIsCreated},
		{core, "HTTP-W6-002", "spec section 2, D7", "each type comes with its mirror, and is deleted with it from either side", eachTypeHasItsMirror},
		{core, "HTTP-W6-003", "D8, D10", "adding what is there, from either side, is answered with 200 and changes nothing", sameRelationshipChangesNothing},
		{core, "HTTP-W6-004", "spec section 2, D7", "a type cannot be changed in place: the relationship is deleted first", typeIsNotChangedInPlace},
		{core, "HTTP-W6-005", "D7", "two problems have at most one relationship per family, and may have one of each", oneRelationshipPerFamily},
		{extended, "HTTP-W6-006", "D7", "no problem is related to itself", problemIsNotRelatedToItself},
		{extended, "HTTP-W6-007", "D14", "an unknown other problem is 422 at /problemIdentifier", unknownOtherProblem},
		{extended, "HTTP-W6-008", "D14, D18", "the faults of a relationship's body, on W6 and W7 alike", faultsOfARelationship},
		{extended, "HTTP-W6-009", "D14", "a problem.identifier that differs is refused with 422", differingIdentifiersOfTheOtherProblem},
		{core, "HTTP-W7-001", "D10, D14", "a relationship as R3 returned it can be sent to W6 and W7", listedRelationshipCanBeSent},
		{extended, "HTTP-W7-002", "D10, D14", "deleting what is not there is relationship-not-found, also for an unknown other problem", missingRelationshipIsNotDeleted},
		{core, "HTTP-R3-001", "D10", "relationships are listed by type code, then identifier", relationshipsAreOrdered},
		{core, "HTTP-R3-002", "D6", "the other problem is shown as it is now", otherProblemIsShownAsItIs},
		{extended, "HTTP-W7-007", "D14", "a number that no problem can have is a problem that there is not", impossibleNumberOfTheOtherProblem},
		{core, "HTTP-R3-003", "spec section 4", "all relationships are listed, however many there are", manyRelationshipsAreListed},
		{core, "HTTP-R3-004", "spec section 2, D6", "a relationship is the same seen from either side: its author, its date, and the other problem's title and state", relationshipIsTheSameFromEitherSide},
		{extended, "HTTP-R3-005", "D6, D9", "a relationship is dated when it was made", relationshipIsDated},
	}
}

func relationshipIsCreated(s *session) {
	bob, p := s.user(), s.problem()
	q := s.create(s.admin, `"state":{"name":"Open"}`)
	a := bob.put(p.path+"/relationships", link("ParentOf", q)).is(201)
	a.json()
	a.members("", "type", "problemIdentifier", "creationDate", "author", "problem").timed("/creationDate")
	a.has("/type", "ParentOf").has("/problemIdentifier", q.id).has("/author", bob.ref())
	other := q.load(s.admin)
	a.has("/problem", map[string]any{"identifier": q.id, "title": other.text("/title"),
		"state": map[string]any{"identifier": other.text("/state/identifier"), "name": "Open"}})
}

func eachTypeHasItsMirror(s *session) {
	for _, kind := range relationshipTypes {
		p, q := s.problem(), s.problem()
		s.relate(p, kind.name, q)
		s.linked(p, q.as(kind.name))
		s.linked(q, p.as(kind.mirror))
		p.load(s.admin).has("/revision", 2)
		q.load(s.admin).has("/revision", 2)
		s.admin.delete(q.path+"/relationships", link(kind.mirror, p)).is(204)
		s.linked(p)
		s.linked(q)
		p.load(s.admin).has("/revision", 3)
		q.load(s.admin).has("/revision", 3)
	}
}

func sameRelationshipChangesNothing(s *session) {
	p, q := s.problem(), s.problem()
	first := s.admin.put(p.path+"/relationships", link("CauseOf", q)).is(201)
	s.untouched(p, func() {
		s.untouched(q, func() {
			s.user().put(p.path+"/relationships", link("CauseOf", q)).is(200).has("", first.value)
			s.admin.put(q.path+"/relationships", link("CausedBy", p)).is(200).has("/creationDate", first.text("/creationDate"))
		})
	})
}

func typeIsNotChangedInPlace(s *session) {
	for i := 1; i < len(relationshipTypes); i += 2 {
		kind := relationshipTypes[i]
		p, q := s.problem(), s.problem()
		s.relate(p, kind.name, q)
		s.untouched(p, func() {
			s.admin.put(p.path+"/relationships", link(kind.mirror, q)).refused()
			s.admin.put(q.path+"/relationships", link(kind.name, p)).refused()
		})
		s.admin.delete(p.path+"/relationships", link(kind.name, q)).is(204)
		s.relate(p, kind.mirror, q)
	}
}

func oneRelationshipPerFamily(s *session) {
	p, q := s.problem(), s.problem()
	s.relate(p, "ClonedFrom", q)
	s.relate(p, "BlockerOf", q)
	s.relate(p, "RelatedTo", q)
	s.relate(p, "ChildOf", q)
	s.relate(p, "CausedBy", q)
	s.relate(p, "OriginalOf", q)
	s.linked(p, q.as("RelatedTo"), q.as("ChildOf"), q.as("OriginalOf"), q.as("CausedBy"), q.as("BlockerOf"), q.as("ClonedFrom"))
	s.linked(q, p.as("RelatedTo"), p.as("ParentOf"), p.as("DuplicateOf"), p.as("CauseOf"), p.as("BlockedBy"), p.as("ClonedTo"))
}

func problemIsNotRelatedToItself(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		for _, kind := range relationshipTypes {
			s.admin.put(p.path+"/relationships", link(kind.name, p)).fault(422, "invalid-value", "/problemIdentifier")
		}
	})
}

func unknownOtherProblem(s *session) {
	p := s.problem()
	s.untouched(p, func() {
		for _, other := range []string{"999999999999", "0", "-1", "9223372036854775808", "99999999999999999999999"} {
			s.admin.put(p.path+"/relationships", `{"type":"ParentOf","problemIdentifier":`+other+`}`).fault(422, "invalid-value", "/problemIdentifier")
		}
	})
}

func faultsOfARelationship(s *session) {
	p, q := s.problem(), s.problem()
	s.untouched(p, func() {
		for _, call := range []func(string, string, ...option) *answer{s.admin.put, s.admin.delete} {
			path := p.path + "/relationships"
			call(path, `{}`).fault(422, "required-field", "/type", "/problemIdentifier")
			call(path, `{"type":"ParentOf"}`).fault(422, "required-field", "/problemIdentifier")
			call(path, fmt.Sprintf(`{"problemIdentifier":%d}`, q.id)).fault(422, "required-field", "/type")
			call(path, fmt.Sprintf(`{"type":"FriendOf","problemIdentifier":%d}`, q.id)).fault(422, "invalid-value", "/type")
			call(path, fmt.Sprintf(`{"type":"parentOf","problemIdentifier":%d}`, q.id)).fault(422, "invalid-value", "/type")
			call(path, fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":"%d"}`, q.id)).fault(422, "invalid-type", "/problemIdentifier")
			call(path, fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%d.0}`, q.id)).fault(422, "invalid-type", "/problemIdentifier")
			call(path, `{"type":"ParentOf","problemIdentifier":1e0}`).fault(422, "invalid-type", "/problemIdentifier")
			call(path, `{"type":200,"problemIdentifier":true}`).fault(422, "invalid-type", "/type", "/problemIdentifier")
			call(path, fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%d,"mirror":"ChildOf","Type":"x"}`, q.id)).fault(422, "unknown-field", "/mirror", "/Type")
			call(path, `[]`).fault(422, "invalid-type", "")
			call(path, ``).fault(400, "malformed-json")
			call(path, link("ParentOf", q), plain()).fault(415, "unsupported-media-type")
		}
	})
}

func differingIdentifiersOfTheOtherProblem(s *session) {
	p, q, r := s.problem(), s.problem(), s.problem()
	body := fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%d,"problem":{"identifier":%d}}`, q.id, r.id)
	s.untouched(p, func() { s.admin.put(p.path+"/relationships", body).fault(422, "", "/problem/identifier") })
	s.relate(p, "ParentOf", q)
	s.untouched(p, func() { s.admin.delete(p.path+"/relationships", body).fault(422, "", "/problem/identifier") })
}

func listedRelationshipCanBeSent(s *session) {
	p, q := s.problem(), s.problem()
	s.relate(p, "BlockedBy", q)
	read := s.admin.get(p.path + "/relationships").is(200).part("/0")
	s.untouched(p, func() { s.admin.put(p.path+"/relationships", read).is(200) })
	s.admin.delete(p.path+"/relationships", read).is(204).empty()
	s.linked(q)
	s.admin.put(p.path+"/relationships", read).is(201)
}

func missingRelationshipIsNotDeleted(s *session) {
	p, q := s.problem(), s.problem()
	s.relate(p, "ParentOf", q)
	s.untouched(p, func() {
		s.admin.delete(p.path+"/relationships", link("ChildOf", q)).fault(404, "relationship-not-found")
		s.admin.delete(p.path+"/relationships", link("RelatedTo", q)).fault(404, "relationship-not-found")
		s.admin.delete(q.path+"/relationships", link("ParentOf", p)).fault(404, "relationship-not-found")
		s.admin.delete(p.path+"/relationships", link("ParentOf", p)).is(404)
		s.admin.delete(p.path+"/relationships", `{"type":"ParentOf","problemIdentifier":999999999999}`).fault(404, "relationship-not-found")
	})
	s.admin.delete(p.path+"/relationships", link("ParentOf", q)).is(204)
	s.admin.delete(p.path+"/relationships", link("ParentOf", q)).fault(404, "relationship-not-found")
}

func relationshipsAreOrdered(s *session) {
	p, a, b := s.problem(), s.problem(), s.problem()
	s.admin.get(p.path+"/relationships").is(200).has("", raw(`[]`))
	s.relate(p, "BlockedBy", b)
	s.relate(p, "ParentOf", b)
	s.relate(p, "ChildOf", a)
	s.relate(p, "RelatedTo", b)
	s.relate(p, "RelatedTo", a)
	s.linked(p, a.as("RelatedTo"), b.as("RelatedTo"), b.as("ParentOf"), a.as("ChildOf"), b.as("BlockedBy"))
}

func otherProblemIsShownAsItIs(s *session) {
	p, q := s.problem(), s.problem()
	s.relate(p, "ParentOf", q)
	s.admin.patch(q.path, `{"title":"Renamed","state":{"name":"Closed"}}`).is(200)
	s.admin.get(p.path+"/relationships").is(200).has("/0/problem/title", "Renamed").has("/0/problem/state/name", "Closed")
}

func impossibleNumberOfTheOtherProblem(s *session) {
	p := s.problem()
	for _, other := range []string{"0", "-1", "99999999999999999999"} {
		body := `{"type":"ParentOf","problemIdentifier":` + other + `}`
		s.admin.delete(p.path+"/relationships", body).fault(404, "relationship-not-found")
		s.admin.put(p.path+"/relationships", body).fault(422, "invalid-value", "/problemIdentifier")
	}
}

func manyRelationshipsAreListed(s *session) {
	p := s.problem()
	var want []string
	others := make([]problem, 10)
	for i := range others {
		others[i] = s.problem()
	}
	for i := 0; i < len(relationshipTypes); i += 2 { // one of each family
		kind := relationshipTypes[i].name
		for _, q := range others {
			s.relate(p, kind, q)
			want = append(want, q.as(kind))
		}
	}
	s.linked(p, want...)
}

func relationshipIsTheSameFromEitherSide(s *session) {
	bob := s.user()
	for _, kind := range relationshipTypes {
		p, q := s.problem(), s.create(s.admin)
		made := bob.put(p.path+"/relationships", link(kind.name, q)).is(201)
		s.admin.get(p.path+"/relationships").is(200).counts("", 1).has("/0", made.value)
		there := p.load(s.admin)
		mirror := s.admin.get(q.path+"/relationships").is(200).counts("", 1).members("/0", "type", "problemIdentifier", "creationDate", "author", "problem")
		mirror.has("/0/type", kind.mirror).has("/0/problemIdentifier", p.id).has("/0/author", bob.ref()).has("/0/creationDate", made.text("/creationDate"))
		mirror.has("/0/problem", map[string]any{"identifier": p.id, "title": there.text("/title"),
			"state": map[string]any{"identifier": there.text("/state/identifier"), "name": there.text("/state/name")}})
	}
}

func relationshipIsDated(s *session) {
	p, q := s.problem(), s.problem()
	since := q.load(s.admin).text("/creationDate")
	dated(s, since, s.admin.put(p.path+"/relationships", link("ParentOf", q)).is(201), "/creationDate")
	for _, side := range []problem{p, q} {
		dated(s, since, s.admin.get(side.path+"/relationships").is(200), "/0/creationDate")
	}
}
