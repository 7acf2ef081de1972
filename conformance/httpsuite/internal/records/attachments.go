package records

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// attachmentCases are about attachments (D48).
func attachmentCases() []session.Case {
	return []session.Case{
		session.Extended("HTTP-FILE-001", "D48, D10", "a file is answered with 201 and its record, and downloaded byte for byte, also when it is empty", fileIsAttached),
		session.Extended("HTTP-FILE-002", "D48", "ranges, conditions and HEAD; a range behind the end is 416; no answer is compressed", fileInRanges),
		session.Extended("HTTP-FILE-003", "D48, D9", "names: a label in any script, and never a path; without one it is malformed-request", fileNames),
		session.Extended("HTTP-FILE-004", "D48, D8", "additions and deletions are logged, significant, and raise the revision", attachmentsAreLogged),
		session.Extended("HTTP-FILE-005", "D48, D18", "the author and the scope admin delete an attachment; its record stays, and its bytes are 404", attachmentIsDeleted),
		session.Extended("HTTP-FILE-006", "D48, D20, D24", "an old revision is 412, and a dry run answers as the addition would; neither stores anything", attachmentIsConditional),
		session.Extended("HTTP-FILE-007", "D48, D21", "the same key with the same file gets the first answer again, and with another file a conflict", attachmentOnce),
		session.Extended("HTTP-FILE-008", "D48, D36", "with asOf, attachments are as they were", attachmentsOfThePast),
	}
}

// named names the file of a request, and its body is of no known type.
func named(name string) session.Option {
	return func(r *http.Request) {
		session.Typed("application/octet-stream")(r)
		session.With("Content-Disposition", "attachment; filename*=UTF-8''"+strings.ReplaceAll(url.QueryEscape(name), "+", "%20"))(r)
	}
}

func digestOf(file string) string {
	sum := sha256.Sum256([]byte(file))
	return hex.EncodeToString(sum[:])
}

func fileIsAttached(s *session.Session) {
	bob, p := s.User(), s.Problem()
	for i, file := range []string{"", "\x00\xffPNG\r\n", strings.Repeat("0123456789abcdef", 100_000)} {
		name := fmt.Sprintf("é %d.png", i)
		a := bob.Post(p.Path+"/attachments", file, named(name), session.Typed("Image/PNG")).Is(201)
		a.JSON()
		a.Members("", "identifier", "name", "mediaType", "size", "digest", "author", "creationDate", "deleteDate").Timed("/creationDate")
		a.Has("/name", name).Has("/mediaType", "image/png").Has("/size", len(file)).Has("/digest", digestOf(file)).Has("/author", bob.Ref()).Has("/deleteDate", nil)
		path := p.Path + "/attachments/" + a.Text("/identifier")
		s.Admin.Get(path).Is(200).Has("", a.Value)
		s.Admin.Get(p.Path+"/attachments").Is(200).Counts("", i+1).Has(fmt.Sprintf("/%d", i), a.Value)
		got := s.Admin.Get(path+"/bytes").Is(200).Sends("Content-Type", "image/png").Sends("ETag", `"`+digestOf(file)+`"`)
		if string(got.Body) != file {
			s.Fatalf("a file of %d bytes was sent, and one of %d came back, which is another", len(file), len(got.Body))
		}
		if !strings.HasPrefix(got.Header.Get("Content-Disposition"), "attachment") {
			s.Fatalf("%v\nis no attachment for a browser", got)
		}
	}
	s.Admin.Post(p.Path+"/attachments", "x", named("a"), session.Typed("")).Is(201).Has("/mediaType", "application/octet-stream")
	s.Untouched(p, func() {
		s.Admin.Post(p.Path+"/attachments", "x", named("a"), session.With("Content-Encoding", "gzip")).Fault(415, "unsupported-media-type")
		s.Admin.Post(p.Path+"/attachments", "x", named("a"), session.Typed("png")).Fault(422, "invalid-value", "/mediaType")
		s.Admin.Get(p.Path+"/attachments/7").Fault(404, "attachment-not-found")
		first := s.Admin.Get(p.Path + "/attachments").Is(200).Text("/0/identifier")
		s.Admin.Get(s.Problem().Path+"/attachments/"+first+"/bytes").Fault(404, "attachment-not-found")
	})
}

func fileInRanges(s *session.Session) {
	p, file := s.Problem(), "0123456789"
	path := p.Path + "/attachments/" + s.Admin.Post(p.Path+"/attachments", file, named("a.txt"), session.Plain()).Is(201).Text("/identifier") + "/bytes"
	tag := `"` + digestOf(file) + `"`
	for ask, want := range map[string]string{"bytes=0-0": "0", "bytes=3-5": "345", "bytes=8-": "89", "bytes=-3": "789", "bytes=2-100": "23456789", "bytes=8-99999999999999999999": "89"} {
		a := s.Admin.Get(path, session.With("Range", ask), session.With("If-Range", tag), session.With("Accept-Encoding", "gzip")).Is(206).Sends("Content-Encoding", "")
		if string(a.Body) != want {
			s.Fatalf("%s has %q, want %q", ask, a.Body, want)
		}
	}
	s.Admin.Get(path, session.With("Range", "bytes=2-4")).Is(206).Sends("Content-Range", "bytes 2-4/10")
	s.Admin.Get(path, session.With("Range", "bytes=10-")).Fault(416, "range-not-satisfiable").Sends("Content-Range", "bytes */10")
	for _, option := range []session.Option{session.With("If-Range", `"another"`), session.With("Range", "lines=1-2"), session.With("Range", "bytes=a-b")} {
		if a := s.Admin.Get(path, session.With("Range", "bytes=2-4"), option).Is(200); string(a.Body) != file {
			s.Fatalf("%v\nis not the whole file", a)
		}
	}
	s.Admin.Get(path, session.With("If-None-Match", tag)).Is(304).Empty()
	s.Admin.Get(path, session.With("If-Match", `"another", `+tag)).Is(200)
	compressed := strings.TrimSuffix(tag, `"`) + `-gzip"` // by a proxy
	s.Admin.Get(path, session.With("If-None-Match", `"another", `+compressed)).Is(304).Empty()
	s.Admin.Get(path, session.With("If-Match", compressed)).Is(200)
	s.Admin.Get(path, session.With("If-Match", `"another"`)).Fault(412, "stale-revision")
	s.Admin.Do("HEAD", path, "").Is(200).Sends("Content-Length", "10").Sends("ETag", tag).Sends("Accept-Ranges", "bytes").Empty()
}

func fileNames(s *session.Session) {
	p := s.Problem()
	for _, name := range []string{"CON.txt", "a;b\"c.txt", strings.Repeat("\U0001f600", 255), "Bericht für Zoë.pdf"} {
		s.Admin.Post(p.Path+"/attachments", "x", named(name)).Is(201).Has("/name", name)
	}
	for header, name := range map[string]string{
		`attachment; filename="plain.txt"`:                                       "plain.txt",
		`attachment; filename="naive.txt"; filename*=iso-8859-1''na%EFve.txt`:    "naïve.txt",
		`attachment; filename*0*=UTF-8''Gr%C3%BC; filename*1="sse und Gru\"sse"`: `Grüsse und Gru"sse`,
	} {
		s.Admin.Post(p.Path+"/attachments", "x", session.With("Content-Disposition", header)).Is(201).Has("/name", name)
	}
	s.Untouched(p, func() {
		for _, name := range []string{"", ".", "..", "../a", `a\b`, "/etc/passwd", "a\x00b", "a\nb", "gpj.\u202eexe", "a\u2028b", strings.Repeat("\U0001f600", 256)} {
			s.Admin.Post(p.Path+"/attachments", "x", named(name)).Fault(422, "invalid-value", "/name")
		}
		for _, header := range []string{"", "attachment", "attachment; filename", "a.txt"} {
			s.Admin.Post(p.Path+"/attachments", "x", session.With("Content-Disposition", header)).Fault(400, "malformed-request")
		}
	})
}

func attachmentsAreLogged(s *session.Session) {
	bob, p := s.User(), s.Problem()
	made := bob.Post(p.Path+"/attachments", "x", named("a.txt"), session.Plain()).Is(201).Sends("Problem-Revision", "2")
	bob.Delete(p.Path+"/attachments/"+made.Text("/identifier"), "").Is(204).Sends("Problem-Revision", "3")
	file := map[string]any{"identifier": made.Text("/identifier"), "name": "a.txt", "mediaType": "text/plain", "size": 1, "digest": digestOf("x")}
	a := p.Load(s.Admin).Has("/modifier/identifier", bob.Identifier).Has("/revision", 3).Counts("/logs", 3)
	a.Has("/logs/1/type", "AttachmentAdded").Has("/logs/1/field", "attachments").Has("/logs/1/isSignificant", true).Has("/logs/1/from", nil).Has("/logs/1/to", file)
	a.Has("/logs/2/type", "AttachmentDeleted").Has("/logs/2/field", "attachments").Has("/logs/2/isSignificant", true).Has("/logs/2/from", file).Has("/logs/2/to", nil)
}

func attachmentIsDeleted(s *session.Session) {
	ann, bob, p := s.User(), s.User(), s.Problem()
	for _, who := range []*session.Client{ann.Client, s.Admin} {
		path := p.Path + "/attachments/" + ann.Post(p.Path+"/attachments", "x", named("a.txt")).Is(201).Text("/identifier")
		s.Untouched(p, func() {
			bob.Delete(path, "").Fault(403, "forbidden")
			bob.Delete(p.Path+"/attachments/7", "").Fault(404, "attachment-not-found")
		})
		who.Delete(path, "").Is(204).Empty()
		if a := s.Admin.Get(path).Is(200); a.At("/deleteDate") == nil {
			s.Fatalf("%v\nhas no deleteDate", a)
		}
		s.Admin.Get(path+"/bytes").Fault(404, "attachment-not-found")
		who.Delete(path, "").Fault(404, "attachment-not-found")
		s.Admin.Get(p.Path+"/attachments").Is(200).Counts("", 0)
	}
}

func attachmentIsConditional(s *session.Session) {
	p := s.Problem()
	s.Untouched(p, func() {
		s.Admin.Post(p.Path+"/attachments", "x", named("a.txt"), session.With("If-Match", `"7"`)).Fault(412, "stale-revision")
		s.Admin.Post(p.Path+"/attachments?dryRun=true", "x", named("a.txt")).Is(201).Sends("Dry-Run", "true").Sends("Location", "").
			Has("/name", "a.txt").Has("/size", 1).Has("/digest", digestOf("x"))
		s.Admin.Post(p.Path+"/attachments?dryRun=true", "x", named("../a")).Fault(422, "invalid-value", "/name")
	})
	made := s.Admin.Post(p.Path+"/attachments", "x", named("a.txt"), session.With("If-Match", `"1"`)).Is(201)
	path := p.Path + "/attachments/" + made.Text("/identifier")
	if location := made.Header.Get("Location"); !strings.HasSuffix(location, path) {
		s.Fatalf("%v\nis at %q, want %q", made, location, path)
	}
	s.Untouched(p, func() {
		s.Admin.Delete(path, "", session.With("If-Match", `"1"`)).Fault(412, "stale-revision")
		s.Admin.Delete(path+"?dryRun=true", "").Is(204).Sends("Dry-Run", "true")
	})
	s.Admin.Get(path + "/bytes").Is(200)
}

func attachmentOnce(s *session.Session) {
	p, key := s.Problem(), s.Unique("key")
	send := func(file, name string) *session.Answer {
		return s.Admin.Post(p.Path+"/attachments", file, named(name), session.Plain(), session.With("Idempotency-Key", key))
	}
	first := send("one", "a.txt").Is(201)
	again := send("one", "a.txt").Is(201).Sends("Idempotency-Replayed", "true")
	if string(again.Body) != string(first.Body) {
		s.Fatalf("%v\nis not the first answer", again)
	}
	send("two", "a.txt").Fault(409, "idempotency-conflict")
	send("one", "b.txt").Fault(409, "idempotency-conflict")
	s.Admin.Get(p.Path+"/attachments").Is(200).Counts("", 1)
}

func attachmentsOfThePast(s *session.Session) {
	p := s.Problem()
	made := s.Admin.Post(p.Path+"/attachments", "x", named("a.txt")).Is(201)
	s.Admin.Delete(p.Path+"/attachments/"+made.Text("/identifier"), "").Is(204)
	for revision, n := range []int{0, 0, 1, 0} {
		if revision > 0 {
			s.Admin.Get(fmt.Sprintf("%s/attachments?asOf=%d", p.Path, revision)).Is(200).Counts("", n)
		}
	}
	s.Admin.Get(p.Path+"/attachments?asOf=2").Is(200).Has("/0", made.Value)
}
