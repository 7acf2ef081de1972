package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/problemtracking/problems/adapters/client"
)

// tracker is a server that answers each path with a status and a body.
func tracker(answers map[string]string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var status int
		body := answers[r.Method+" "+r.URL.Path[len("/api/20151105"):]]
		_, _ = fmt.Sscan(body, &status)
		if r.URL.Path == "/api/20151105/events" {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body[4:])
	}))
}

func Example() {
	server := tracker(map[string]string{
		"POST /problems":       `201 {"identifier":12,"title":"The lamp is dark","revision":1}`,
		"GET /problems/search": `200 [{"identifier":12,"title":"The lamp is dark","state":{"name":"Open"}}]`,
	})
	defer server.Close()
	ctx := context.Background()

	c, err := client.New(server.URL, client.Options{Token: "pts_…"})
	if err != nil {
		log.Fatal(err)
	}
	made, err := c.Create(ctx, client.NewProblem{Fields: client.Fields{Title: "The lamp is dark", Priority: client.Named("High")}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("created", made.Identifier)
	for p, err := range c.Search(ctx, client.Search{Predicate: "state.resolved = NO AND assignee = $ApiUser"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(p.Identifier, p.State.Name, p.Title)
	}
	// Output:
	// created 12
	// 12 Open The lamp is dark
}

// Somebody else was faster: load the problem again, and decide anew.
func ExampleIfRevision() {
	server := tracker(map[string]string{
		"PATCH /problems/12": `412 {"type":"/errors/stale-revision","status":412,"detail":"the problem is at revision 5 by now: reload it and retry"}`,
	})
	defer server.Close()

	c, err := client.New(server.URL, client.Options{Token: "pts_…"})
	if err != nil {
		log.Fatal(err)
	}
	_, err = c.Update(context.Background(), 12, client.Patch{Clear: []string{"assignee"}}, client.IfRevision(4))
	switch {
	case errors.Is(err, client.StaleRevision):
		fmt.Println("stale:", err)
	case errors.Is(err, client.ErrUnknown):
		fmt.Println("look first:", err)
	}
	// Output:
	// stale: the problem is at revision 5 by now: reload it and retry
}

// Keep the position when the events of a batch are done. After a restart, the last batch
// may come again, and nothing is missed.
func ExampleClient_Follow() {
	server := tracker(map[string]string{"GET /events": "200 id: 8.1\n" +
		`data: {"identifier":"8.1","type":"problem.changed","problem":{"identifier":12,"revision":5}}` + "\n\n"})
	defer server.Close()

	c, err := client.New(server.URL, client.Options{Token: "pts_…"})
	if err != nil {
		log.Fatal(err)
	}
	for batch, err := range c.Follow(context.Background(), client.Feed{After: "7.3"}) {
		if err != nil {
			log.Fatal(err)
		}
		for _, e := range batch.Events {
			fmt.Println(e.Type, e.Problem.Identifier)
		}
		fmt.Println("keep", batch.Position)
		break
	}
	// Output:
	// problem.changed 12
	// keep 8.1
}
