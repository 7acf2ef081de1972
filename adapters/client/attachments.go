package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"time"
)

// Attachment is a file on a problem (D48).
type Attachment struct {
	Identifier   string     `json:"identifier"`
	Name         string     `json:"name"` // a label: others have chosen it, so it is no path
	MediaType    string     `json:"mediaType"`
	Size         int64      `json:"size"`   // in bytes
	Digest       string     `json:"digest"` // the SHA-256 of the bytes, in hexadecimal
	Author       Reference  `json:"author"`
	CreationDate time.Time  `json:"creationDate"`
	DeleteDate   *time.Time `json:"deleteDate"`
}

// File is a file to send.
type File struct {
	Name      string
	MediaType string // "": application/octet-stream
	Size      int64  // in bytes, exactly
	// Open returns the bytes. Each attempt opens them once, and closes them.
	Open func() (io.ReadCloser, error)
}

// fileTime limits one attempt to send or load a file. Servers give up after an hour.
const fileTime = time.Hour

// Attach adds a file to a problem.
func (c *Client) Attach(ctx context.Context, number int64, file File, options ...Option) (made Attachment, err error) {
	r := at(http.MethodPost, number, "attachments")
	r.file, r.Key = &file, NewKey()
	r.Header = http.Header{
		"Content-Disposition": {mime.FormatMediaType("attachment", map[string]string{"filename": file.Name})},
		"Expect":              {"100-continue"}, // so a refusal comes before the bytes
	}
	if file.MediaType != "" {
		r.Header.Set("Content-Type", file.MediaType)
	}
	_, err = c.Do(ctx, r, &made, options...)
	return made, err
}

// Attachments returns the attachments of a problem, oldest first.
func (c *Client) Attachments(ctx context.Context, number int64, options ...Option) (all []Attachment, err error) {
	_, err = c.Do(ctx, at(http.MethodGet, number, "attachments"), &all, options...)
	return all, err
}

// DeleteAttachment deletes an attachment.
func (c *Client) DeleteAttachment(ctx context.Context, number int64, attachment string, options ...Option) error {
	_, err := c.Do(ctx, at(http.MethodDelete, number, "attachments", attachment), nil, options...)
	return err
}

// Download writes the bytes of an attachment. After a broken connection it goes on where it was.
func (c *Client) Download(ctx context.Context, number int64, attachment string, to io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	var done int64
	for attempt := 1; ; attempt++ {
		n, err := c.download(ctx, number, attachment, done, to)
		if done += n; n > 0 {
			attempt = 1
		}
		if err == nil || !isTemporary(err) || attempt >= c.Attempts || !c.wait(ctx, attempt, err) {
			return err
		}
	}
}

// download writes the bytes from one on, and returns how many it has written.
func (c *Client) download(ctx context.Context, number int64, attachment string, from int64, to io.Writer) (n int64, err error) {
	r := at(http.MethodGet, number, "attachments", attachment, "bytes")
	r.Header = http.Header{"Range": {"bytes=" + strconv.FormatInt(from, 10) + "-"}}
	if from == 0 {
		r.Header = nil
	}
	response, err := c.send(ctx, &r, nil)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	if from > 0 && response.StatusCode != http.StatusPartialContent {
		return 0, &ForeignError{c.Address(), errors.New("it sends the whole file in place of a part")}
	}
	lost := &lossy{Reader: response.Body}
	if n, err = io.Copy(to, lost); lost.err != nil {
		err = &ConnectionError{Address: c.Address(), Began: true, Err: lost.err}
	}
	return n, err
}

// lossy keeps the error of its reader apart from that of a writer.
type lossy struct {
	io.Reader
	err error
}

func (l *lossy) Read(b []byte) (int, error) {
	n, err := l.Reader.Read(b)
	if err != nil && err != io.EOF {
		l.err = fmt.Errorf("the file broke off: %w", err)
	}
	return n, err
}
