package problem

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"mime"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/text"
)

// Attachment is the record of a file on a problem (D48). The bytes of the file are in a
// store of their own: see package blob.
type Attachment struct {
	ID        ident.ID
	Name      string // by the rule of CheckAttachmentName
	MediaType string // see MediaType
	Bytes     int64  // the size of the file
	Digest    Digest
	Author    ident.ID
	Created   time.Time
	// Deleted is the time of the deletion. It is zero for an attachment that is present. The
	// record of a deleted one stays, because the log and the past name it.
	Deleted time.Time
}

// Digest is the SHA-256 of a file.
type Digest [32]byte

// String returns the digest in lower case hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// ParseDigest returns the digest in the text of Digest.String. ok is false for any other text.
func ParseDigest(s string) (d Digest, ok bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(d) || s != strings.ToLower(s) {
		return Digest{}, false
	}
	return Digest(b), true
}

// Size returns the part of the record in the size of its problem, in bytes. The file does not
// count (D48).
func (a Attachment) Size() int64 { return Overhead + int64(len(a.Name)+len(a.MediaType)) }

// ShownBytes returns a number of bytes for people, such as "1.4 MiB".
func ShownBytes(bytes int64, language string) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	n, at := float64(bytes), 0
	for n >= 1024 && at < len(units)-1 {
		n, at = n/1024, at+1
	}
	precision := 0
	if at > 0 && n < 10 {
		precision = 1
	}
	text := strings.TrimSuffix(strconv.FormatFloat(n, 'f', precision, 64), ".0")
	if language == "de" {
		text = strings.ReplaceAll(text, ".", ",")
	}
	return text + " " + units[at]
}

// PresentAttachments returns the attachments without the deleted ones. It changes the given
// slice.
func PresentAttachments(attachments []Attachment) []Attachment {
	return slices.DeleteFunc(attachments, func(a Attachment) bool { return !a.Deleted.IsZero() })
}

// Log returns the value for the attachment.
func (a Attachment) Log() LogValue {
	return logJSON(loggedAttachment{a.ID.String(), a.Name, a.MediaType, a.Bytes, a.Digest.String()})
}

// Renamed returns the log entry with the name and the media type of the attachment, or as it is.
func (a Attachment) Renamed(e LogEntry) LogEntry {
	return e.withAttachment(func(logged Attachment) Attachment {
		if logged.ID == a.ID {
			logged.Name, logged.MediaType = a.Name, a.MediaType
		}
		return logged
	})
}

// withAttachment returns an entry about an attachment with another record of it, or as it is.
func (e LogEntry) withAttachment(change func(Attachment) Attachment) LogEntry {
	in := func(v LogValue) LogValue {
		logged, ok := v.Attachment()
		if changed := change(logged); ok && changed != logged {
			return changed.Log()
		}
		return v
	}
	if e.Type == AttachmentAdded || e.Type == AttachmentDeleted {
		e.From, e.To = in(e.From), in(e.To)
	}
	return e
}

// loggedAttachment is an attachment in the log.
type loggedAttachment struct {
	Identifier string `json:"identifier"`
	Name       string `json:"name"`
	MediaType  string `json:"mediaType"`
	Size       int64  `json:"size"`
	Digest     string `json:"digest"`
}

// Attachment returns the attachment in a value of [Attachment.Log], without its author and
// its times. ok is false for any other value.
func (v LogValue) Attachment() (a Attachment, ok bool) {
	var shown loggedAttachment
	if json.Unmarshal([]byte(v.JSON()), &shown) != nil {
		return Attachment{}, false
	}
	id, err := ident.Parse(shown.Identifier)
	digest, ok := ParseDigest(shown.Digest)
	return Attachment{ID: id, Name: shown.Name, MediaType: shown.MediaType, Bytes: shown.Size, Digest: digest}, ok && err == nil
}

// attachmentName is the rule of the characters of a name.
var attachmentName = text.Rule{Min: 1, Max: 255, Line: true, PathSegment: true}

// UnknownMediaType is the media type of a file without one.
const UnknownMediaType = "application/octet-stream"

// CheckAttachmentName refuses a name that some system cannot give to a file, or would take for
// another one (D48). Its error ends a sentence about the name. The name stays as it is, so
// two files of one problem can have the same name.
func CheckAttachmentName(name string) (string, error) {
	name, err := attachmentName.Apply(name)
	switch {
	case err != nil:
		return "", err
	case strings.ContainsAny(name, `/\`):
		return "", nameError(`must not contain "/" or "\": send the name without its folder`)
	case strings.ContainsFunc(name, deceptive):
		return "", nameError("must not contain characters that turn the direction of the text")
	case strings.ContainsAny(name, "\u2028\u2029"):
		return "", nameError("must be one line")
	}
	return name, nil
}

// TameAttachmentName returns a name by the rule of CheckAttachmentName for a file that a mail
// names in any way, or not at all: without its folder and forbidden characters, and cut in front
// of its ending.
func TameAttachmentName(sent, mediaType string) string {
	sent = sent[strings.LastIndexAny(sent, `/\`)+1:]
	name := []rune(strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || deceptive(r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(sent, "\uFFFD"))))
	if over := len(name) - attachmentName.Max; over > 0 {
		end := len(name)
		if dot := strings.LastIndexByte(string(name), '.'); dot >= 0 {
			if ending := utf8.RuneCountInString(string(name)[dot:]); ending <= longestEnding {
				end -= ending
			}
		}
		name = slices.Delete(name, end-over, end)
	}
	if tame, err := CheckAttachmentName(string(name)); err == nil {
		return tame
	}
	return "file" + endings[mediaType]
}

// longestEnding is the length of an ending such as ".tar.gz", in characters.
const longestEnding = 16

// endings are those of the files that mail programs send without a name.
var endings = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "application/pdf": ".pdf",
	"message/rfc822": ".eml", "text/calendar": ".ics", "text/plain": ".txt", "text/html": ".html",
}

type nameError string

func (e nameError) Error() string { return string(e) }

// deceptive reports a character that turns the direction of the text: "gpj.exe" would look
// like "exe.jpg".
func deceptive(r rune) bool {
	return 0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 ||
		r == 0x200e || r == 0x200f || r == 0x061c
}

// MediaType returns the media type of a file in the form that is stored: lower case, and no
// parameter but the charset. Others can have the name of the file, which a redaction has to find.
// The empty text is UnknownMediaType. ok is false for no media type.
func MediaType(declared string) (mediaType string, ok bool) {
	if declared == "" {
		return UnknownMediaType, true
	}
	kind, parameters, err := mime.ParseMediaType(declared)
	if err != nil || !strings.Contains(kind, "/") || len(declared) > 255 {
		return "", false
	}
	maps.DeleteFunc(parameters, func(name, _ string) bool { return name != "charset" })
	mediaType = mime.FormatMediaType(kind, parameters)
	return mediaType, mediaType != "" && len(mediaType) <= 255
}
