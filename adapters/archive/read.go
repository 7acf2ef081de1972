package archive

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/transfer"
)

// Reader reads archives of Write, or of others by the same rules. It is a
// transfer.Source.
type Reader struct {
	in       *bufio.Reader
	splitter *splitter
	codec    *codec
	tally    *tally
	line     int64  // the number of the latest line
	long     []byte // a line longer than the buffer of in
	complete bool   // the manifest was read
}

// NewReader returns a Reader of an archive.
func NewReader(r io.Reader) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 1<<16), splitter: newSplitter(), codec: newCodec(), tally: newTally()}
}

// Next implements transfer.Source. A wrong line is a *transfer.Fault; an error of the
// underlying reader is wrapped.
func (r *Reader) Next() (line int64, record transfer.Record, err error) {
	switch {
	case r.line == 0:
		record, err = r.readHeader()
	case r.complete:
		err = r.readEnd()
	default:
		record, err = r.readRecord()
	}
	return r.line, record, r.fault(err)
}

// Summary returns how much was read.
func (r *Reader) Summary() Summary { return r.tally.summary() }

func (r *Reader) readHeader() (transfer.Record, error) {
	if err := r.foreign(); err != nil {
		r.line++
		return nil, err
	}
	text, err := r.readLine()
	if err == io.EOF {
		r.line++
		return nil, errors.New("is missing: an archive begins with a header")
	}
	if err != nil {
		return nil, err
	}
	fields, err := r.splitter.split(text)
	if err != nil {
		return nil, err
	}
	// A newer version may have other members: it is to be known by its number.
	for _, m := range (object{{"kind", constant(headerKind)}, {"version", &r.codec.version}}) {
		f := m.among(fields, 0)
		if f == nil {
			return nil, within(m.name, errors.New("is missing: this is no archive"))
		}
		if err := m.parse(f.value); err != nil {
			return nil, within(m.name, err)
		}
	}
	r.codec.limit(r.codec.version, memberSince)
	err = r.codec.objects[transfer.KindStart].fill(fields)
	return r.codec.take(transfer.KindStart), err
}

// foreigners are files often mistaken for archives, by their first bytes, with the
// message about the first line.
var foreigners = []struct{ magic, reason string }{
	{"\x1f\x8b\x08", "is compressed: gzip -dc FILE | problems import"},
	{"\x28\xb5\x2f\xfd", "is compressed: zstd -dc FILE | problems import"},
	{"\xfd7zXZ\x00", "is compressed: xz -dc FILE | problems import"},
	{"BZh9", "is compressed: bzip2 -dc FILE | problems import"}, // at the default level
	{"PK\x03\x04", "is compressed: unzip -p FILE | problems import"},
	{"SQLite", "is a database of SQLite: problems copy --from sqlite:FILE"},
	{"\xff\xfe", "is in UTF-16, and an archive is in UTF-8"},
	{"\xfe\xff", "is in UTF-16, and an archive is in UTF-8"},
	{"\ufeff", "begins with a byte order mark, which an archive does not have"},
}

// foreign fails when the file begins as an archive never does.
func (r *Reader) foreign() error {
	begin, _ := r.in.Peek(6) // an error comes again with the line
	for _, f := range foreigners {
		if bytes.HasPrefix(begin, []byte(f.magic)) {
			return errors.New(f.reason)
		}
	}
	return nil
}

func (r *Reader) readRecord() (transfer.Record, error) {
	text, err := r.readLine()
	if err == io.EOF {
		r.line++
		return nil, errors.New("is missing: the archive ends without its manifest")
	}
	if err != nil {
		return nil, err
	}
	fields, err := r.splitter.split(text)
	if err != nil {
		return nil, err
	}
	kind, err := r.codec.version.kindOf(fields)
	if err != nil {
		return nil, err
	}
	if kind == transfer.KindEnd {
		var next problem.ID
		r.complete = true
		err := r.tally.manifestLine(r.codec.version, &next).fill(fields)
		return transfer.End{Next: next}, err
	}
	r.tally.add(kind, text[:len(text)+1])
	err = r.codec.objects[kind].fill(fields)
	return r.codec.take(kind), err
}

// kindOf returns the kind of a line; transfer.KindEnd for a manifest.
func (v version) kindOf(fields []field) (transfer.Kind, error) {
	f := member{name: "kind"}.among(fields, 0)
	if f == nil {
		return 0, within("kind", errors.New("is missing"))
	}
	for kind := transfer.KindState; kind < transfer.KindEnd; kind++ {
		if says(f.value, kindNames[kind]) {
			return kind, nil
		}
	}
	switch {
	case f.value[0] != '"':
		return 0, within("kind", errString)
	case says(f.value, manifestKind):
		return transfer.KindEnd, nil
	case says(f.value, headerKind):
		return 0, within("kind", errors.New("only the first line is a header"))
	default:
		return 0, within("kind", fmt.Errorf("version %d of the format has no such kind", v))
	}
}

// readEnd returns io.EOF when nothing follows the manifest.
func (r *Reader) readEnd() error {
	r.line++
	switch _, err := r.in.ReadByte(); err {
	case nil:
		return errors.New("comes after the manifest: an archive ends with it")
	case io.EOF:
		return io.EOF
	default:
		return &readError{err}
	}
}

// readLine returns the next line without its line feed. The line feed follows in the same
// array. readLine fails with io.EOF after the last line.
func (r *Reader) readLine() ([]byte, error) {
	text, err := r.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		r.long = append(r.long[:0], text...)
		for err == bufio.ErrBufferFull && len(r.long) <= maxLine {
			text, err = r.in.ReadSlice('\n')
			r.long = append(r.long, text...)
		}
		text = r.long
	}
	if err == io.EOF && len(text) == 0 {
		return nil, io.EOF
	}
	r.line++
	text, terminated := bytes.CutSuffix(text, []byte("\n"))
	switch {
	case len(text) > maxLine:
		return nil, fmt.Errorf("is longer than a line can be: %d bytes", maxLine)
	case err == io.EOF:
		return nil, errors.New("ends without a line feed: the archive was cut off")
	case err != nil:
		return nil, &readError{err}
	case !terminated:
	case len(text) == 0:
		return nil, errors.New("is empty")
	case text[len(text)-1] == '\r':
		return nil, errors.New("ends with CR LF: the lines of an archive end with LF alone")
	}
	return text, nil
}

// readError is an error of the underlying reader.
type readError struct{ error }

func (e *readError) Unwrap() error { return e.error }

// fault returns an error about the latest line as Next returns it.
func (r *Reader) fault(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if e, ok := errors.AsType[*readError](err); ok {
		return fmt.Errorf("line %d cannot be read: %w", r.line, e.error)
	}
	if e, ok := errors.AsType[*memberError](err); ok {
		return &transfer.Fault{Line: r.line, Field: e.pointer, Reason: e.err.Error()}
	}
	return &transfer.Fault{Line: r.line, Reason: err.Error()}
}
