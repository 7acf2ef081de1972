package webhook

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
)

// Message is one message to a receiver, as Standard Webhooks defines it.
type Message struct {
	// ID is the same in every attempt to deliver one event.
	ID string
	// Time is the time of the attempt. Signature covers ID, Time and Body.
	Time      time.Time
	Signature string
	Body      []byte
}

// Sender sends messages to receivers.
type Sender interface {
	// Send posts the message to an absolute URL, once. It follows no redirect, waits for a
	// bounded time, and takes note of the status alone. A failure is in the Attempt. The
	// caller sets At.
	Send(ctx context.Context, url string, m Message) Attempt
}

// MostBody is the largest length of a body, in bytes, by the default limits of the service (D40).
const MostBody = 8 << 20

// TestType is the type of a message that an administrator asks for. It is no event.
const TestType event.Type = "webhook.test"

// envelope is the body of a message.
type envelope struct {
	Type      event.Type      `json:"type"`
	Timestamp string          `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// NewMessage returns the message about an event: its cursor is the identifier, and data is
// the event in the form of the API.
func NewMessage(c event.Cursor, t event.Type, at time.Time, data []byte) Message {
	return message(c.String(), t, at, data)
}

// Test returns the message of a test.
func Test(id ident.ID, at time.Time) Message {
	return message("test_"+id.String(), TestType, at, []byte("{}"))
}

func message(id string, t event.Type, at time.Time, data []byte) Message {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false) // or a message could be six times as long as its event
	if err := e.Encode(envelope{t, at.UTC().Format("2006-01-02T15:04:05.000Z"), data}); err != nil {
		panic("webhook: the data of a message is no JSON: " + err.Error())
	}
	return Message{ID: id, Body: bytes.TrimSuffix(body.Bytes(), []byte("\n"))}
}
