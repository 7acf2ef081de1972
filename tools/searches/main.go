// Searches times the documented queries of the query language against running servers,
// and compares their answers: the same data, so the same problems, in the same order.
//
// In tools, which is outside of the workspace:
//
//	GOWORK=off go run ./searches -runs 50 sqlite=http://pts_…@127.0.0.1:8080 postgres=http://pts_…@127.0.0.1:8081
//
// The tokens, before the hosts, have to be of the same user. It prints a Markdown table,
// and ends with status 1 when answers differ.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"
)

// server is one of the compared servers.
type server struct{ name, url, token string }

func main() {
	log.SetFlags(0)
	log.SetPrefix("searches: ")
	runs := flag.Int("runs", 50, "how often to ask each query")
	limit := flag.Int("limit", 50, "how many problems to ask for")
	flag.Parse()
	var servers []server
	for _, arg := range flag.Args() {
		name, address, _ := strings.Cut(arg, "=")
		at, err := url.Parse(address)
		if err != nil || at.User == nil {
			log.Fatal("name each server, as in sqlite=http://pts_…@127.0.0.1:8080")
		}
		token := at.User.Username()
		at.User = nil
		servers = append(servers, server{name, at.JoinPath("/api/20151105/problems/search").String(), token})
	}
	if len(servers) == 0 || *runs < 1 {
		flag.Usage()
		os.Exit(2)
	}
	differ := false
	fmt.Print("| query | found |")
	for _, s := range servers {
		fmt.Printf(" %s p50 | p99 |", s.name)
	}
	fmt.Println("\n|---|---|" + strings.Repeat("---|---|", len(servers)))
	for _, q := range queries {
		var first result
		var row strings.Builder
		for i, s := range servers {
			r, err := ask(s, q, *limit, *runs)
			if err != nil {
				log.Fatalf("%s: %s: %v", s.name, q.predicate, err)
			}
			if i == 0 {
				first = r
			} else if r.digest != first.digest {
				differ = true
				fmt.Fprintf(&row, " DIFFERS from %s:", servers[0].name)
			}
			fmt.Fprintf(&row, " %s | %s |", millis(r.at(50)), millis(r.at(99)))
		}
		sorted := ""
		if q.sort != "" {
			sorted = " by `" + q.sort + "`"
		}
		fmt.Printf("| `%s`%s | %s |%s\n", strings.ReplaceAll(q.predicate, "|", `\|`), sorted, first.summary, row.String())
	}
	if differ {
		log.Fatal("servers differ")
	}
}

// result is the result of a query.
type result struct {
	summary string // the number of problems, or the error
	digest  [sha256.Size]byte
	times   []time.Duration // sorted
}

// at returns a percentile.
func (r result) at(percent int) time.Duration { return r.times[(len(r.times)-1)*percent/100] }

func millis(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

// ask asks once to warm up, and then as often as wanted.
func ask(s server, q query, limit, runs int) (r result, err error) {
	at := s.url + "?limit=" + fmt.Sprint(limit) + "&predicate=" + url.QueryEscape(q.predicate)
	if q.sort != "" {
		at += "&sort=" + url.QueryEscape(q.sort)
	}
	for run := range runs + 1 {
		began := time.Now()
		summary, digest, err := get(at, s.token)
		if err != nil {
			return result{}, err
		}
		if run == 0 {
			r.summary, r.digest = summary, digest
			continue
		}
		if digest != r.digest {
			return result{}, fmt.Errorf("two answers to one question: %s, then %s", r.summary, summary)
		}
		r.times = append(r.times, time.Since(began))
	}
	slices.Sort(r.times)
	return r, nil
}

// get returns how many problems are answered, and a digest of their identifiers and
// revisions; of an error, its type.
func get(at, token string) (summary string, digest [sha256.Size]byte, err error) {
	request, err := http.NewRequest(http.MethodGet, at, nil)
	if err != nil {
		return "", digest, err
	}
	request.Header.Set("Authorization", token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", digest, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return "", digest, err
	}
	if response.StatusCode != http.StatusOK {
		var fault struct{ Type, Detail string }
		if err := json.Unmarshal(body, &fault); err != nil || response.StatusCode >= 500 || response.StatusCode == http.StatusUnauthorized {
			return "", digest, fmt.Errorf("%s: %s", response.Status, body)
		}
		return strings.TrimPrefix(fault.Type, "/errors/"), sha256.Sum256([]byte(fault.Type)), nil
	}
	var found []struct{ Identifier, Revision int64 }
	if err := json.Unmarshal(body, &found); err != nil {
		return "", digest, err
	}
	more := ""
	if response.Header.Get("Link") != "" {
		more = "+"
	}
	return fmt.Sprint(len(found)) + more, sha256.Sum256([]byte(fmt.Sprint(found, more))), nil
}
