package httpframe

import (
	"net/http"
	"strconv"
)

// Secure sets headers for browsers: they guess no type and load nothing (D34).
func Secure(header http.Header) {
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
}

// ambiguous reports whether a proxy may see another end of the request than this server
// does. The connection has to be closed after it then (RFC 9112, section 6.1).
//
// One such request has Transfer-Encoding. net/http may have removed its
// Content-Length. Another one is of HTTP/1.0, where net/http ignores Transfer-Encoding.
func ambiguous(r *http.Request) bool {
	return r.ProtoMajor == 1 && (len(r.TransferEncoding) > 0 || r.ProtoMinor == 0)
}

// Send sends the answer: the status, the length of the body, and the body. HEAD
// gets the length without the body.
func Send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	if status != http.StatusNoContent && status != http.StatusNotModified {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	w.WriteHeader(status)
	if r.Method != http.MethodHead && len(body) > 0 {
		_, _ = w.Write(body) // the client is gone: nobody to tell
	}
}
