package main

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
)

// manyComments is the attacked problem, and lastButOne a revision of it.
const (
	manyComments = "a problem with long comments"
	lastButOne   = "its last revision but one"
)

// commentBytes is the length of a comment within the limit of a body.
const commentBytes = 1_000_000

func prepareComments(s *stage) error {
	return s.once(manyComments, func() (int64, error) {
		id, err := s.create("victim with long comments")
		if err != nil {
			return 0, err
		}
		text := bytes.Repeat([]byte("a"), commentBytes)
		n, err := s.repeat(s.sizes.comments, func(int) error {
			return s.make("adding comments", send(http.MethodPost, fmt.Sprintf("/problems/%d/comments", id), asText, text), nil)
		})
		s.place.made[lastButOne] = max(1, int64(n))
		return id, err
	})
}

// searchFor is a search by POST, for long predicates.
func searchFor(predicate string) request {
	return sendJSON(http.MethodPost, "/problems/search", map[string]any{"predicate": predicate, "limit": 1000})
}

var commentAttacks = []attack{
	{name: "comments-load", short: true, title: "load {comments} comments of 1 MB, {many} at once", prepare: prepareComments, run: func(s *stage) {
		s.storm(s.sizes.many, same(get("/problems/%d/comments", s.id(manyComments))))
	}},
	{name: "comments-as-of", title: "load them asOf the last revision but one, {many} at once", prepare: prepareComments, run: func(s *stage) {
		s.storm(s.sizes.many, same(get("/problems/%d/comments?asOf=%d", s.id(manyComments), s.id(lastButOne))))
	}},
	{name: "comments-add", title: "add comments of 1 MB to a problem, {many} at once, {comments} in all", prepare: nil, run: addComments, right: []int{201, 422}},
	{name: "comments-like", title: "search for LIKE of 15,000 letters in comments of 1 MB, {few} at once", prepare: prepareComments, run: func(s *stage) {
		s.storm(s.sizes.few, same(searchFor("SUBQUERY(comments, $c, $c.text LIKE '*"+strings.Repeat("a", 15_000)+"b*').@count > 0")))
	}, right: []int{422}},
	{name: "comments-matches", title: "search for MATCHES in those comments, {many} at once", prepare: prepareComments, run: func(s *stage) {
		s.storm(s.sizes.many, same(searchFor("SUBQUERY(comments, $c, $c.text MATCHES '(a|aa)*b').@count > 0")))
	}, right: []int{422}},
}

func addComments(s *stage) {
	id, err := s.create("victim that is commented on")
	if err != nil {
		s.note("creating a problem: %v", err)
		return
	}
	text := bytes.Repeat([]byte("a"), commentBytes)
	each := max(1, s.sizes.comments/s.sizes.many)
	s.storm(s.sizes.many, func(_, n int) request {
		if n == each {
			return request{}
		}
		return send(http.MethodPost, fmt.Sprintf("/problems/%d/comments", id), asText, text)
	})
}
