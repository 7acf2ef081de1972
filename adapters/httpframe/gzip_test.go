package httpframe

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestAcceptsGzip(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"": false, "gzip": true, "GZIP": true, "deflate, gzip;q=0.5, br": true, "gzip;q=0": false, "gzip; q=0.000": false, "gzip;q=1": true,
		"identity": false, "br": false, "x-gzip-like": false,
	} {
		if got := AcceptsGzip(http.Header{"Accept-Encoding": {value}}); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

func TestGzip(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("The lamp is dark. ", 100))
	zipped := Gzip(text)
	r, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		t.Fatal(err)
	}
	if back, err := io.ReadAll(r); err != nil || !bytes.Equal(back, text) || len(zipped) > len(text)/10 {
		t.Errorf("%d bytes become %d, and then %d (%v)", len(text), len(zipped), len(back), err)
	}
}
