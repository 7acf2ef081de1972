package transfer

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Progress shows on a terminal how far a transfer is. The zero Progress shows
// nothing.
type Progress struct {
	Terminal io.Writer // nil: none
	Now      func() time.Time
	// Total is the number of bytes; 0 when it is unknown.
	Total int64

	done  int64
	shown time.Time
}

// interval is the time from one picture to the next.
const interval = 100 * time.Millisecond

// width is the width of the bar, in characters.
const width = 30

// Reader returns r with a count of its bytes.
func (p *Progress) Reader(r io.Reader) io.Reader { return counted{r, nil, p} }

// Writer returns w with a count of its bytes.
func (p *Progress) Writer(w io.Writer) io.Writer { return counted{nil, w, p} }

type counted struct {
	io.Reader
	io.Writer
	progress *Progress
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress.add(n)
	return n, err
}

func (c counted) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.progress.add(n)
	return n, err
}

func (p *Progress) add(n int) {
	p.done += int64(n)
	if p.Terminal == nil {
		return
	}
	if now := p.Now(); now.Sub(p.shown) >= interval {
		p.shown = now
		p.write("\r" + p.picture() + eraseRest)
	}
}

// End removes the picture.
func (p *Progress) End() {
	if p.Terminal != nil && !p.shown.IsZero() {
		p.write("\r" + eraseRest)
	}
}

const eraseRest = "\x1b[K"

// write draws. A closed terminal is no reason to stop.
func (p *Progress) write(s string) { _, _ = io.WriteString(p.Terminal, s) }

func (p *Progress) picture() string {
	mebibytes := float64(p.done) / (1 << 20)
	if p.Total == 0 {
		return fmt.Sprintf("%.1f MiB", mebibytes)
	}
	part := min(float64(p.done)/float64(p.Total), 1)
	full := int(part * width)
	return fmt.Sprintf("[%s%s] %3d %% of %.1f MiB", strings.Repeat("#", full), strings.Repeat("-", width-full), int(part*100), float64(p.Total)/(1<<20))
}
