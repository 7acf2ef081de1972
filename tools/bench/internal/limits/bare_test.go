package limits

import (
	"io"
	"net/http"
	"testing"

	"github.com/problemtracking/problems/tools/bench/internal/load"
)

func TestBareBytes(t *testing.T) {
	t.Parallel()
	answer := load.Recorded{
		Status: http.StatusOK,
		Header: http.Header{"Content-Type": {"application/json"}, "Etag": {`"9"`}, "Date": {"Thu, 01 Jan 1970 00:00:00 GMT"}},
		Body:   []byte(`{"identifier":7,"title":"<b> & \"grün\""}`),
	}
	bare, stop, err := BareBytes(t.Context(), answer)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, bare.URL+"/any/path", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != answer.Status || string(body) != string(answer.Body) {
		t.Errorf("the answer is %s, %v\n%s", response.Status, err, body)
	}
	for _, name := range []string{"Content-Type", "Etag"} {
		if response.Header.Get(name) != answer.Header.Get(name) {
			t.Errorf("%s is %q; want %q", name, response.Header.Get(name), answer.Header.Get(name))
		}
	}
	if response.Header.Get("Date") == answer.Header.Get("Date") {
		t.Error("the date is the recorded one")
	}
	if len(bare.PIDs) != 1 || bare.PIDs[0] <= 0 {
		t.Errorf("the processes are %v", bare.PIDs)
	}
}
