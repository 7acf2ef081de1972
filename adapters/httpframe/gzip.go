package httpframe

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
)

// AcceptsGzip reports whether the client takes the content coding gzip.
func AcceptsGzip(header http.Header) bool {
	for coding := range strings.SplitSeq(strings.Join(header.Values("Accept-Encoding"), ","), ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			q := strings.TrimSpace(weight)
			return q == "" || strings.Trim(strings.TrimPrefix(q, "q="), "0.") != ""
		}
	}
	return false
}

// Gzip returns a text in the content coding gzip, as short as it gets.
func Gzip(text []byte) []byte {
	var out bytes.Buffer
	z, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // fails only for another level
	_, _ = z.Write(text)                                    // a Buffer takes everything
	_ = z.Close()
	return out.Bytes()
}
