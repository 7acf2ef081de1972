//go:build ignore

// Receives webhooks at the address ADDRESS, with the secret SECRET, and prints each event
// once: SECRET=whsec_… ADDRESS=127.0.0.1:9000 go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// most is the largest message, in bytes.
const most = 8 << 20

func main() {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SECRET"), "whsec_"))
	if err != nil || len(key) == 0 {
		log.Fatal("SECRET has to be the secret of the webhook")
	}
	var seen sync.Map // a real receiver keeps the identifiers with its data
	http.HandleFunc("POST /", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
		if err != nil {
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
			return
		}
		if !signed(key, r.Header, body) {
			http.Error(w, "not signed", http.StatusUnauthorized)
			return
		}
		if _, again := seen.LoadOrStore(r.Header.Get("webhook-id"), true); !again {
			fmt.Println(string(body))
		}
		w.WriteHeader(http.StatusNoContent)
	})
	log.Fatal(http.ListenAndServe(os.Getenv("ADDRESS"), nil))
}

// signed reports whether the message is from the service, and no older than five minutes.
func signed(key []byte, header http.Header, body []byte) bool {
	id, at := header.Get("webhook-id"), header.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > 5*time.Minute {
		return false
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Fields(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(signature), []byte(want)) {
			return true
		}
	}
	return false
}
