package httpapi

import "sync"

// buffers are lent to answers, one after the other: a problem with its log, or a page
// of problems, is most of what the service would otherwise allocate for a request.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// mostKept is the size, in bytes, of the largest buffer that is kept for others: enough
// for a page of 50 problems, of some 110 KB, in a buffer that has grown to hold it.
const mostKept = 256 << 10

// lend returns an empty buffer for the body of the answer, which must not be kept
// after it is sent.
func (c *call) lend() []byte {
	c.lent = buffers.Get().(*[]byte)
	return (*c.lent)[:0]
}

// giveBack takes back the buffer that was lent, if one was, as the answer has left
// it.
func (c *call) giveBack(body []byte) {
	if c.lent == nil || cap(body) > mostKept {
		return
	}
	*c.lent = body[:0]
	buffers.Put(c.lent)
	c.lent = nil
}
