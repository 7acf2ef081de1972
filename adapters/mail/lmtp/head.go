package lmtp

import (
	"bufio"
	"bytes"
	"io"
	"mime/multipart"
	"net/textproto"
)

// Sizes of headers, in bytes: of a mail, and of each of its parts.
const (
	mostHeaders  = 1 << 20
	mostPartHead = 64 << 10
)

// headReader reads the head of a mail up to mostHeaders, and keeps it until end is called. Then
// it reads the rest of the mail.
type headReader struct {
	from io.Reader
	seen []byte
	body bool
}

func (h *headReader) Read(b []byte) (int, error) {
	if h.body {
		return h.from.Read(b)
	}
	left := mostHeaders - len(h.seen)
	if left == 0 {
		return 0, io.EOF
	}
	n, err := h.from.Read(b[:min(len(b), left)])
	h.seen = append(h.seen, b[:n]...)
	return n, err
}

// cut reports whether the headers go on behind mostHeaders.
func (h *headReader) cut() bool {
	return len(h.seen) >= mostHeaders && !bytes.Contains(h.seen, []byte("\n\r\n")) && !bytes.Contains(h.seen, []byte("\n\n"))
}

// end says that the headers are read.
func (h *headReader) end() { h.body, h.seen = true, nil }

// sound returns the headers in front of a damaged line. Lines behind it may be text of the
// author, and a line at the end may be cut.
func (h *headReader) sound() textproto.MIMEHeader {
	lines := h.seen[:bytes.LastIndexByte(h.seen, '\n')+1]
	headers, _ := textproto.NewReader(bufio.NewReader(bytes.NewReader(lines))).ReadMIMEHeader()
	return headers
}

// partHeads reads the parts of a multipart, with heads of mostPartHead at most: the library keeps
// them in memory, and would take ten megabytes.
type partHeads struct {
	from    io.Reader
	head    bool
	left    int // of a head
	tooLong bool
}

// next returns the next part. io.EOF is the end.
func (h *partHeads) next(parts *multipart.Reader, last *multipart.Part) (*multipart.Part, error) {
	if last != nil {
		if _, err := io.Copy(io.Discard, last); err != nil {
			return nil, err
		}
	}
	h.head, h.left = true, mostPartHead
	defer func() { h.head = false }()
	return parts.NextRawPart()
}

func (h *partHeads) Read(b []byte) (int, error) {
	if !h.head {
		return h.from.Read(b)
	}
	if h.left == 0 {
		h.tooLong = true
		return 0, io.ErrShortBuffer
	}
	n, err := h.from.Read(b[:min(len(b), h.left)])
	h.left -= n
	return n, err
}
