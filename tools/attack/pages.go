package main

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// hostileText is a problem with comments that are small to send and large to show.
const hostileText = "a problem with hostile comments"

// growing are comments of some 30 KB: a table to be filled up, a link target for many links, and
// references to a problem with a long title. The last one is HTML, with a link to be repeated.
func growing(id int64) []map[string]string {
	return []map[string]string{
		{"text": strings.Repeat("|a", 3000) + "|\n" + strings.Repeat("|-", 3000) + "|\n" + strings.Repeat("x\n", 10_000)},
		{"text": "[a]: /" + strings.Repeat("u", 26_000) + "\n\n" + strings.Repeat("[a] ", 1500)},
		{"text": strings.Repeat(fmt.Sprint("#", id, " "), 5000)},
		{"text": "x", "html": `<p><a href="/` + strings.Repeat("u", 30_000) + `">` + strings.Repeat("<p>x", 8000)},
	}
}

func prepareHostile(s *stage) error {
	return s.once(hostileText, func() (int64, error) {
		id, err := s.create(strings.Repeat(`"`, 1000))
		if err != nil {
			return 0, err
		}
		all := growing(id)
		_, err = s.repeat(4*len(all), func(n int) error {
			return s.make("adding comments", sendJSON(http.MethodPost, fmt.Sprintf("/problems/%d/comments", id), all[n%len(all)]), nil)
		})
		return id, err
	})
}

// signIn returns the cookies of a new session.
func (s *stage) signIn() (string, error) {
	form := url.Values{"token": {s.attacker.token}}.Encode()
	ask, err := http.NewRequestWithContext(s.ctx, http.MethodPost, s.attacker.url+"/sign-in", strings.NewReader(form))
	if err != nil {
		return "", err
	}
	ask.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := s.attacker.http.Transport.RoundTrip(ask) // it follows no redirection
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }() // only the header counts
	var cookies []string
	for _, c := range answer.Cookies() {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	return strings.Join(cookies, "; "), nil
}

var pageAttacks = []attack{
	{name: "page-comments", short: true, title: "show the page of a problem with hostile comments, {many} at once", prepare: prepareHostile, run: func(s *stage) {
		cookies, err := s.signIn()
		if err != nil {
			s.note("signing in: %v", err)
			return
		}
		page := request{method: http.MethodGet, path: fmt.Sprint("/problems/", s.id(hostileText)), header: [2]string{"Cookie", cookies}, page: true}
		s.storm(s.sizes.many, same(page))
	}},
}
