package powercut

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Arguments are the arguments of strace, before its option -o, for a trace readable by
// Replay. They need strace 5.3 or newer.
func Arguments() []string {
	return []string{
		"-f", "--seccomp-bpf", // follows threads, and stops them for the traced calls alone
		"-y", "-xx", "-v", // paths of descriptors; texts byte by byte; nothing abbreviated
		"-s", strconv.Itoa(longest),
		"-e", "signal=none",
		"-e", "trace=" + strings.Join(traced, ","),
	}
}

// longest is how many bytes of one write a trace holds.
const longest = 1 << 26

// traced are the calls of a trace. A question mark marks calls missing on some machines.
var traced = []string{
	"openat", "?openat2", "?open", "?creat", "close", "?close_range", "dup", "?dup2", "dup3", "fcntl",
	"read", "readv", "lseek", "write", "writev", "pwrite64", "pwritev", "pwritev2",
	"ftruncate", "truncate", "fallocate", "mmap",
	"fsync", "fdatasync", "sync", "syncfs", "msync",
	"?rename", "?renameat", "renameat2", "?unlink", "unlinkat", "?link", "linkat", "?symlink", "symlinkat",
	"?mkdir", "mkdirat", "?rmdir",
	"clone", "?clone3", "?fork", "?vfork", "execve",
	"copy_file_range", "sendfile", "splice", "?io_uring_setup", "?io_setup",
}

// call is a system call of a trace.
type call struct {
	thread string
	name   string
	args   []string
	result string // "?" if it did not return
}

// ok reports whether the call succeeded.
func (c *call) ok() bool { return c.result != "" && c.result[0] != '-' && c.result[0] != '?' }

// number returns the result of the call, or 0 if it is no number.
func (c *call) number() int64 {
	digits, _, _ := strings.Cut(c.result, "<")
	digits, _, _ = strings.Cut(digits, " ")
	n, _ := strconv.ParseInt(digits, 0, 64) // an address above the range of int64 is of no use
	return n
}

// arg returns an argument, or "".
func (c *call) arg(i int) string {
	if i >= 0 && i < len(c.args) {
		return c.args[i]
	}
	return ""
}

// int returns a numeric argument.
func (c *call) int(i int) (int64, error) {
	n, err := strconv.ParseInt(c.arg(i), 0, 64)
	if err != nil {
		return 0, fmt.Errorf("the argument %d of %s is %q, which is no number", i+1, c.name, c.arg(i))
	}
	return n, nil
}

// has reports whether an argument such as O_RDWR|O_CREAT has a flag.
func (c *call) has(i int, flag string) bool {
	for f := range strings.SplitSeq(c.arg(i), "|") {
		if f == flag {
			return true
		}
	}
	return false
}

// trace reads a trace call by call.
type trace struct {
	lines *bufio.Reader
	open  map[string]string // unfinished calls, by thread
	next  *call             // a call whose end is the next result of read; nil: none
}

func newTrace(r io.Reader) *trace {
	return &trace{lines: bufio.NewReaderSize(r, 1<<20), open: make(map[string]string)}
}

// read returns the next begin or end of a call. A call without an interruption is
// returned twice. The error is io.EOF at the end.
func (t *trace) read() (c *call, ended bool, err error) {
	if c, t.next = t.next, nil; c != nil {
		return c, true, nil
	}
	for {
		line, err := t.lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			return nil, false, io.EOF // half a line is no line
		}
		if err != nil {
			return nil, false, err
		}
		thread, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		text = strings.TrimLeft(text, " ")
		switch {
		case strings.HasPrefix(text, "+++"), strings.HasPrefix(text, "---"):
			continue
		case strings.HasPrefix(text, "<... "):
			_, rest, _ := strings.Cut(text, " resumed>")
			c, err := parse(thread, t.open[thread]+rest)
			delete(t.open, thread)
			return c, true, err
		}
		if begun, ok := unfinished(text); ok {
			t.open[thread] = begun
			c, err := parse(thread, begun+") = ?")
			return c, false, err
		}
		// A call interrupted by the end of its thread.
		text = strings.Replace(text, " <unfinished ...>) = ?", ") = ?", 1)
		c, err := parse(thread, text)
		t.next = c
		return c, false, err
	}
}

// unfinished returns the begin of a call without its end: another thread interrupted it,
// or its own was killed.
func unfinished(text string) (begun string, ok bool) {
	for _, mark := range []string{"<unfinished ...>", "<detached ...>"} {
		if begun, ok = strings.CutSuffix(text, mark); ok {
			return strings.TrimRight(begun, " "), true
		}
	}
	return "", false
}

// parse reads a call such as
//
//	write(1<pipe:[7]>, "\x61", 1) = 1
func parse(thread, text string) (*call, error) {
	name, rest, ok := strings.Cut(text, "(")
	if !ok {
		return nil, fmt.Errorf("this is no line of a trace: %.200q", text)
	}
	c := &call{thread: thread, name: name}
	depth, start := 0, 0
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '"':
			end := strings.IndexByte(rest[i+1:], '"') // a quoted " is \x22
			if end < 0 {
				return nil, fmt.Errorf("a text in a line of the trace has no end: %.200q", text)
			}
			i += 1 + end
		case '<':
			if end := strings.IndexByte(rest[i:], '>'); end > 0 {
				i += end
			}
		case '(', '[', '{':
			depth++
		case ',':
			if depth == 0 {
				c.args = append(c.args, strings.TrimSpace(rest[start:i]))
				start = i + 1
			}
		case ')', ']', '}':
			if depth > 0 {
				depth--
				continue
			}
			if last := strings.TrimSpace(rest[start:i]); last != "" {
				c.args = append(c.args, last)
			}
			_, c.result, _ = strings.Cut(rest[i:], "= ")
			return c, nil
		}
	}
	return nil, fmt.Errorf("a line of the trace has no end: %.100q … %q", text, text[max(0, len(text)-100):])
}

// descriptor reads a descriptor such as 3</data/a>, and returns its number, or -1,
// and its path.
func descriptor(arg string) (fd int, path string) {
	digits, path, _ := strings.Cut(arg, "<")
	fd, err := strconv.Atoi(digits)
	if err != nil {
		fd = -1
	}
	path, _, _ = strings.Cut(path, ">")
	return fd, unhex(path)
}

// quoted returns the texts in an argument, one after the other.
func quoted(arg string) ([]byte, error) {
	var all []byte
	for {
		_, rest, ok := strings.Cut(arg, `"`)
		if !ok {
			return all, nil
		}
		text, after, _ := strings.Cut(rest, `"`)
		if strings.HasPrefix(after, "...") {
			return nil, fmt.Errorf("a text of more than %d bytes is not in the trace", longest)
		}
		all = append(all, unhex(text)...)
		arg = after
	}
}

// unhex reads a text of bytes in the form \x61.
func unhex(text string) string {
	if !strings.Contains(text, `\x`) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text) / 4)
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) && text[i+1] == 'x' {
			b.WriteByte(nibble(text[i+2])<<4 | nibble(text[i+3]))
			i += 3
			continue
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// nibble returns the value of a hexadecimal digit in lower case, as strace writes it.
func nibble(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}
