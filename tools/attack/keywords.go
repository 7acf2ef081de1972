package main

import (
	"fmt"
	"net/http"
	"strings"
)

// keywordBytes is the longest value of a keyword.
const keywordBytes = 64 << 10

// manyKeywords and rewritten are the attacked problems.
const (
	manyKeywords = "a problem with many keywords"
	rewritten    = "a problem with a keyword that was often rewritten"
	middle       = "the revision in the middle of its history"
)

// value returns a value of the greatest length for a keyword, another one for each
// number. JSON needs two bytes for each of its quotation marks.
func value(n int) string {
	number := fmt.Sprint(n)
	return number + strings.Repeat(`"`, keywordBytes-len(number))
}

func prepareKeywords(s *stage) error {
	return s.once(manyKeywords, func() (int64, error) {
		id, err := s.create("victim with many keywords")
		if err != nil {
			return 0, err
		}
		// One name is left for an attack with a new one.
		_, err = s.repeat(s.sizes.keywords-1, func(n int) error {
			return s.make("setting keywords", sendJSON(http.MethodPut, fmt.Sprintf("/problems/%d/keywords/k%d", id, n), strings.Repeat("v", keywordBytes)), nil)
		})
		return id, err
	})
}

func prepareRewritten(s *stage) error {
	return s.once(rewritten, func() (int64, error) {
		id, err := s.create("victim with a long log")
		if err != nil {
			return 0, err
		}
		n, err := s.repeat(s.sizes.rewrites, func(n int) error {
			return s.make("rewriting a keyword", sendJSON(http.MethodPut, fmt.Sprintf("/problems/%d/keywords/k", id), value(n)), nil)
		})
		s.place.made[middle] = 1 + int64(n)/2
		return id, err
	})
}

var keywordAttacks = []attack{
	{name: "keywords-load", short: true, title: "load a problem with {keywords} keywords of 64 KiB, {many} at once", prepare: prepareKeywords, run: func(s *stage) {
		s.storm(s.sizes.many, same(get("/problems/%d", s.id(manyKeywords))))
	}},
	{name: "keywords-patch", title: "patch that problem, which answers with it, {many} at once", prepare: prepareKeywords, run: func(s *stage) {
		s.storm(s.sizes.many, func(worker, n int) request {
			return sendJSON(http.MethodPatch, fmt.Sprintf("/problems/%d", s.id(manyKeywords)), map[string]string{"title": fmt.Sprintf("victim with many keywords %d.%d", worker, n)})
		})
	}},
	{name: "keywords-put", title: "set one of those keywords to a short value, {many} at once", prepare: prepareKeywords, run: func(s *stage) {
		s.storm(s.sizes.many, func(worker, n int) request {
			return sendJSON(http.MethodPut, fmt.Sprintf("/problems/%d/keywords/short", s.id(manyKeywords)), fmt.Sprint(worker, " ", n))
		})
	}, right: []int{201, 422}},
	{name: "rewritten-load", short: true, title: "load a problem whose keyword was set {rewrites} times to 64 KiB, {few} at once", prepare: prepareRewritten, run: func(s *stage) {
		s.storm(s.sizes.few, same(get("/problems/%d", s.id(rewritten))))
	}},
	{name: "rewritten-as-of", title: "load it asOf its middle, {few} at once", prepare: prepareRewritten, run: func(s *stage) {
		s.storm(s.sizes.few, same(get("/problems/%d?asOf=%d", s.id(rewritten), s.id(middle))))
	}},
	{name: "rewritten-slow", short: true, title: "10 readers of it who take some bytes in a second", prepare: prepareRewritten, run: func(s *stage) {
		s.connect(slowReaders, s.readSlowly(fmt.Sprintf("/problems/%d", s.id(rewritten))))
	}},
}
