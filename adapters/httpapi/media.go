package httpapi

import (
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2/negotiation"

	"github.com/problemtracking/problems/domain/fault"
)

// The media types of bodies.
const (
	mediaJSON    = "application/json"
	mediaMerge   = "application/merge-patch+json" // RFC 7396
	mediaText    = "text/plain"
	mediaCSV     = "text/csv"
	mediaProblem = "application/problem+json" // RFC 9457
)

// prefers reports whether the client would rather have this media type than JSON.
func (c *call) prefers(media string) bool {
	accept := strings.ToLower(strings.Join(c.r.Header.Values("Accept"), ","))
	return negotiation.SelectQValue(accept, []string{mediaJSON, media}) == media
}

// mediaType returns the type of the body, by default the operation's first one (D12). All
// bodies are UTF-8; ASCII is a part of it.
func mediaType(bodies []body, header http.Header) (string, error) {
	if len(bodies) == 0 {
		return "", nil
	}
	var known []string
	for _, b := range bodies {
		known = append(known, b.media)
	}
	unsupported := fault.New(fault.UnsupportedMediaType, "this operation takes %s, in UTF-8 and without content coding", strings.Join(known, " or "))
	if encoded(header) {
		return "", unsupported
	}
	value := header.Get("Content-Type")
	if value == "" {
		return known[0], nil
	}
	media, params, err := mime.ParseMediaType(value)
	if err != nil || !slices.Contains(known, media) || len(header.Values("Content-Type")) > 1 {
		return "", unsupported
	}
	switch strings.ToLower(params["charset"]) {
	case "", "utf-8", "utf8", "us-ascii":
		return media, nil
	default:
		return "", unsupported
	}
}

// encoded reports whether the body has a content coding, such as gzip.
func encoded(header http.Header) bool {
	for _, coding := range strings.Split(strings.Join(header.Values("Content-Encoding"), ","), ",") {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return true
		}
	}
	return false
}
