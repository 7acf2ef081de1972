package main

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/problemtracking/problems/tools/bench/internal/limits"
	"github.com/problemtracking/problems/tools/bench/internal/load"
)

// The kinds of contenders beside the servers.
const (
	sameBytes = "bytes"
	theDisk   = "disk"
)

// addLimits starts the contender beside the servers: a bare handler, which gets the same
// requests as a server.
func (b *bench) addLimits(ctx context.Context) error {
	b.say("starting what the servers are compared with")
	like := b.server(inMemory)
	if like == nil {
		like = b.entrants[0]
	}
	answer, err := record(ctx, like)
	if err != nil {
		return err
	}
	c, stop, err := limits.BareBytes(ctx, answer)
	if err != nil {
		return err
	}
	b.undo = append(b.undo, func(context.Context) error { stop(); return nil })
	b.bare = append(b.bare, &entrant{Contender: c, store: sameBytes, scene: like.scene})
	return nil
}

// record asks a server for a problem with ten log entries.
func record(ctx context.Context, e *entrant) (load.Recorded, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("%s%s/problems/%d", e.URL, load.API, e.scene.Tens[0]), nil)
	if err != nil {
		return load.Recorded{}, err
	}
	request.Header.Set("Authorization", e.Token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return load.Recorded{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("GET %s: %s", request.URL.Path, response.Status)
	}
	return load.Recorded{Status: response.StatusCode, Header: response.Header, Body: body}, err
}
