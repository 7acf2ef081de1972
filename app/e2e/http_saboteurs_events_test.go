package e2e

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
)

// eventPages changes the pages of the feed.
func eventPages(fn func([]map[string]any) []map[string]any) func(serving) serving {
	return answering(func(c call, r *reply) {
		if page := array(r.body); c.is("GET", "/events") && r.status == http.StatusOK && len(page) > 0 {
			r.body = asJSON(fn(page))
		}
	})
}

// streamBlocks changes the parts of streams, each up to an empty line. The function
// returns what to send in place of a part.
func streamBlocks(fn func(c call, block string) string) func(serving) serving {
	return answering(func(c call, r *reply) {
		if r.stream == nil {
			return
		}
		from := r.stream
		read, write := io.Pipe()
		r.stream = partsOfStream{read, func() error {
			_ = read.Close() // which returns no error
			return from.Close()
		}}
		go func() {
			lines := bufio.NewScanner(from)
			lines.Buffer(nil, 1<<20)
			block := ""
			for lines.Scan() {
				if block += lines.Text() + "\n"; lines.Text() != "" {
					continue
				}
				if _, err := io.WriteString(write, fn(c, block)); err != nil {
					return
				}
				block = ""
			}
			_ = write.Close()
		}()
	})
}

// partsOfStream is a stream that a saboteur puts together.
type partsOfStream struct {
	io.Reader
	end func() error
}

func (s partsOfStream) Close() error { return s.end() }

// streamSaboteurs break the feed as a stream.
func streamSaboteurs() []saboteur {
	streams := func(c call) bool { return c.is("GET", "/events") && c.header.Get("Accept") == "text/event-stream" }
	begun := func(more io.Reader, end func() error) reply {
		return reply{status: http.StatusOK, header: http.Header{"Content-Type": {"text/event-stream"}},
			stream: partsOfStream{io.MultiReader(strings.NewReader("retry: 2000\n\n"), more), end}}
	}
	// silent is a stream without an end that sends nothing.
	silent := func(c call) reply {
		read, _ := io.Pipe()
		context.AfterFunc(c.ctx, func() { _ = read.Close() })
		return begun(read, read.Close)
	}
	empty := func() reply { return begun(strings.NewReader(""), func() error { return nil }) }
	var lost memory[bool]
	return []saboteur{
		{"Last-Event-ID ignored", "HTTP-EV-015", asking(func(c *call) { c.header.Del("Last-Event-ID") })},
		{"one event of a stream lost", "HTTP-EV-009", streamBlocks(func(_ call, block string) string {
			if _, again := lost.get("one"); !again && strings.Contains(block, `"title":"one"`) {
				lost.put("one", true)
				return ""
			}
			return block
		})},
		{"a stream that outlives its token", "HTTP-EV-012", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if r.stream != nil {
					r.stream = partsOfStream{io.MultiReader(r.stream, silent(c).stream), r.stream.Close}
				}
				return r
			}
		}},
		{"a wait that outlives its token", "HTTP-EV-017", answering(func(c call, r *reply) {
			if strings.Contains(c.uri, "wait=60") && r.status == http.StatusUnauthorized {
				*r = reply{status: http.StatusOK, header: http.Header{"Content-Type": {"application/json"}}, body: []byte("[]")}
			}
		})},
		{"a stream without comments", "HTTP-EV-013", streamBlocks(func(_ call, block string) string {
			if strings.HasPrefix(block, ":") {
				return ""
			}
			return block
		})},
		{"a stream for a cursor that is gone", "HTTP-EV-014", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if streams(c) && r.status == http.StatusGone {
					return empty()
				}
				return r
			}
		}},
		{"any number of streams", "HTTP-EV-016", func(next serving) serving {
			return func(c call) reply {
				r := next(c)
				if streams(c) && r.status == http.StatusTooManyRequests {
					return silent(c)
				}
				return r
			}
		}},
	}
}

// eventSaboteurs break the feed.
func eventSaboteurs() []saboteur {
	withoutParameter := func(name string) func(serving) serving {
		return asking(func(c *call) {
			if path, query, ok := strings.Cut(c.uri, "?"); ok && c.is("GET", "/events") {
				parts := slices.DeleteFunc(strings.Split(query, "&"), func(part string) bool { return strings.HasPrefix(part, name+"=") })
				c.uri = path + "?" + strings.Join(parts, "&")
			}
		})
	}
	return []saboteur{
		{"events without their log entries", "HTTP-EV-001", eventPages(func(page []map[string]any) []map[string]any {
			for _, e := range page {
				e["logs"] = []any{}
			}
			return page
		})},
		{"no link from an empty page of events", "HTTP-EV-002", answering(func(c call, r *reply) {
			if c.is("GET", "/events") && len(array(r.body)) == 0 {
				r.header.Del("Link")
			}
		})},
		{"the last event of a page again", "HTTP-EV-003", answering(func(c call, r *reply) {
			if page := array(r.body); c.is("GET", "/events") && len(page) > 1 {
				link := r.header.Get("Link")
				_, cursor, _ := strings.Cut(link, "after=")
				cursor, _, _ = strings.Cut(strings.Split(cursor, ">")[0], "&")
				before, _ := page[len(page)-2]["identifier"].(string)
				r.header.Set("Link", strings.Replace(link, cursor, before, 1))
			}
		})},
		{"a batch for each event", "HTTP-EV-004", eventPages(func(page []map[string]any) []map[string]any {
			for _, e := range page {
				e["batchIdentifier"] = e["identifier"]
			}
			return page
		})},
		{"events of all problems", "HTTP-EV-005", withoutParameter("problem")},
		{"everybody sees the events of administration", "HTTP-EV-006", administrator(func(c call) bool { return c.is("GET", "/events") })},
		{"a wait of any length", "HTTP-EV-007", withoutParameter("wait")},
		{"no wait", "HTTP-EV-008", withoutParameter("wait")},
		{"events of dry runs", "HTTP-EV-010", asking(func(c *call) {
			if c.is("PATCH", "/problems/*") {
				c.uri = strings.Replace(c.uri, "dryRun=true", "dryRun=false", 1)
			}
		})},
		{"events in no order", "HTTP-EV-011", eventPages(func(page []map[string]any) []map[string]any {
			slices.Reverse(page)
			return page
		})},
	}
}
