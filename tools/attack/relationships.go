package main

import (
	"fmt"
	"net/http"
)

// manyRelationships and family are the attacked problems: family is the oldest one of its
// own.
const (
	manyRelationships = "a problem with many relationships"
	family            = "a large family"
	youngest          = "the youngest of the family"
)

// relate relates two problems.
func (s *stage) relate(kind string, from, to int64) error {
	return s.make("relating problems", relating(kind, from, to), nil)
}

func relating(kind string, from, to int64) request {
	return sendJSON(http.MethodPut, fmt.Sprintf("/problems/%d/relationships", from), map[string]any{"type": kind, "problemIdentifier": to})
}

func prepareRelationships(s *stage) error {
	return s.once(manyRelationships, func() (int64, error) {
		id, err := s.create("victim with many relationships")
		if err != nil {
			return 0, err
		}
		_, err = s.repeat(s.sizes.related, func(int) error {
			other, err := s.create("related victim")
			if err != nil {
				return err
			}
			return s.relate("RelatedTo", id, other)
		})
		return id, err
	})
}

// prepareFamily makes layers of problems. Each is a parent of all in the next layer, so
// there are very many ways from the first to the last.
func prepareFamily(s *stage) error {
	return s.once(family, func() (int64, error) {
		var layers [][]int64
		for range s.sizes.layers {
			layer := make([]int64, s.sizes.layer)
			for i := range layer {
				var err error
				if layer[i], err = s.create("victim in a family"); err != nil {
					return 0, err
				}
			}
			layers = append(layers, layer)
		}
		n := s.sizes.layer
		related, err := s.repeat((s.sizes.layers-1)*n*n, func(i int) error {
			layer, pair := i/(n*n), i%(n*n)
			child := layers[layer+1][pair%n]
			if err := s.relate("ParentOf", layers[layer][pair/n], child); err != nil {
				return err
			}
			s.place.made[youngest] = child // a descendant of the first, however far this goes
			return nil
		})
		if err == nil && related == 0 {
			err = errEnough // there is no family
		}
		return layers[0][0], err
	})
}

var relationshipAttacks = []attack{
	{name: "relationships-list", title: "list {related} relationships, {many} at once", prepare: prepareRelationships, run: func(s *stage) {
		s.storm(s.sizes.many, same(get("/problems/%d/relationships", s.id(manyRelationships))))
	}},
	{name: "relationships-cycle", short: true, title: "try to close a cycle in a family of {layers} layers of {layer}, all of one being children of all before, {many} at once", prepare: prepareFamily, run: func(s *stage) {
		s.storm(s.sizes.many, same(relating("ParentOf", s.id(youngest), s.id(family))))
	}, right: []int{409}},
	{name: "relationships-search", title: "search along the relationships of all, three deep, {many} at once", prepare: prepareFamily, run: func(s *stage) {
		s.storm(s.sizes.many, same(searchFor("SUBQUERY(relationships, $a, SUBQUERY($a.child.relationships, $b, SUBQUERY($b.child.relationships, $c, $c.child.title CONTAINS[cd] 'zz').@count > 0).@count > 0).@count > 0")))
	}, right: []int{422}},
}
