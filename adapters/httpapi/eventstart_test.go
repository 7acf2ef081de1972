package httpapi

import (
	"context"
	"strings"
	"testing"
)

// A stream from now on names its position at once: a client that loses it before the first
// event could not go on from there otherwise.
func TestStreamFromNowNamesItsPosition(t *testing.T) {
	t.Parallel()
	stopping, stop := context.WithCancel(t.Context())
	stop()
	f := setup(t, func(o *Options) { o.Stopping = stopping })
	link := f.send(t, request("GET", api+"/events?after=now", ""), 200, "").Header().Get("Link")
	_, position, _ := strings.Cut(link, "after=")
	position, _, _ = strings.Cut(position, ">")
	for query, want := range map[string]string{
		"?after=now":         "retry: 2000\n\nid: " + position + "\n\n",
		"?after=" + position: "retry: 2000\n\n",
		"":                   "retry: 2000\n\n",
	} {
		got := f.send(t, request("GET", api+"/events"+query, "", "Accept", mediaEvents), 200, "").Body.String()
		if position == "" || got != want {
			t.Errorf("a stream %s begins with\n%s, want\n%s", query, got, want)
		}
	}
}
