package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// identifier returns the member of a JSON object that names it.
func identifier(body []byte) string {
	var o struct {
		Identifier json.RawMessage `json:"identifier"`
	}
	_ = json.Unmarshal(body, &o) // an answer without one has none
	var text string
	if json.Unmarshal(o.Identifier, &text) == nil {
		return text
	}
	return string(o.Identifier)
}

// write sends a JSON body.
func (c *client) write(method, path, body string) (int, []byte) {
	return c.do(method, path, body, "Content-Type", "application/json")
}

// crowd makes n users with a token each, and n problems with two relationships.
func (c *client) crowd(t *testing.T, n int) {
	t.Helper()
	const clients = 8
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			for j := i; j < n; j += clients {
				if status := c.settler(j); status != http.StatusCreated {
					t.Errorf("filling the server: %d", status)
					return
				}
			}
		})
	}
	group.Wait()
}

// settler makes a user with a token and two problems, and returns the first status
// that is not 201.
func (c *client) settler(n int) int {
	status, user := c.write("POST", "/users", fmt.Sprintf(`{"name":"Settler %04d","email":"settler%d@example.org"}`, n, n))
	if status != http.StatusCreated {
		return status
	}
	if status, _ = c.write("POST", "/tokens", fmt.Sprintf(`{"user":{"identifier":%q},"scope":"read"}`, identifier(user))); status != http.StatusCreated {
		return status
	}
	var problems [2]string
	for i := range problems {
		var body []byte
		status, body = c.write("POST", "/problems", fmt.Sprintf(`{"title":"Of settler %d","assignee":{"identifier":%q}}`, n, identifier(user)))
		if status != http.StatusCreated {
			return status
		}
		problems[i] = identifier(body)
	}
	status, _ = c.write("PUT", "/problems/"+problems[0]+"/relationships", fmt.Sprintf(`{"type":"ParentOf","problemIdentifier":%s}`, problems[1]))
	return status
}

// pause is how long the other client rests before it does something again. Without it, the
// client would fill the server with users, and take the machine from the suite.
const pause = 200 * time.Millisecond

// noise has another client use the server until the returned function is called. It returns
// how many of its writes were accepted.
func (c *client) noise(t *testing.T) func() int64 {
	t.Helper()
	var writes atomic.Int64
	quiet := make(chan struct{})
	random := rand.New(rand.NewPCG(0, 1))
	var other sync.WaitGroup
	other.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-quiet:
				return
			case <-time.After(pause):
				writes.Add(c.bustle(random, fmt.Sprint(n)))
			}
		}
	})
	end := sync.OnceFunc(func() { close(quiet); other.Wait() })
	t.Cleanup(end)
	return func() int64 { end(); return writes.Load() }
}

// bustle does something that others do all day, and returns how many writes were
// accepted.
func (c *client) bustle(random *rand.Rand, name string) (writes int64) {
	count := func(status int, body []byte) string {
		if status == http.StatusCreated || status == http.StatusOK || status == http.StatusNoContent {
			writes++
		}
		return identifier(body)
	}
	problem := "/problems/" + count(c.write("POST", "/problems", `{"title":"Noise"}`))
	other := fmt.Sprintf(`{"type":"RelatedTo","problemIdentifier":%d}`, 1+random.IntN(100))
	switch random.IntN(4) {
	case 0:
		user := count(c.write("POST", "/users", fmt.Sprintf(`{"name":"Noise","email":"noise-%s@example.org"}`, name)))
		token := count(c.write("POST", "/tokens", fmt.Sprintf(`{"user":{"identifier":%q},"scope":"write"}`, user)))
		count(c.write("PATCH", "/users/"+user, `{"name":"Noise, renamed"}`))
		count(c.do("DELETE", "/tokens/"+token, ""))
	case 1:
		count(c.do("POST", problem+"/comments", "noise", "Content-Type", "text/plain"))
		count(c.write("PUT", problem+"/keywords/noise", `"loud"`))
	case 2:
		count(c.write("PUT", problem+"/relationships", other))
		count(c.write("DELETE", problem+"/relationships", other))
	case 3:
		count(c.write("PATCH", problem, `{"state":{"name":"Closed"},"priority":{"name":"Low"}}`))
		c.do("GET", "/users", "")
	}
	return writes
}
