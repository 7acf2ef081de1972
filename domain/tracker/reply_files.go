package tracker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"strings"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// ReplyFile is a file of a Reply.
type ReplyFile struct {
	Name      string // as problem.TameAttachmentName returns it
	MediaType string // as the mail declares it
	Content   []byte
	// Place stands in Reply.Layout for a picture that the HTML shows. It is empty for other files.
	Place string
}

// replyWithFiles stores the files of a reply, then the one Change with its comment and their
// records. It stores nothing for a mail that is delivered again.
func (s *Service) replyWithFiles(ctx context.Context, of Replied, reply Reply, cmd AddComment) (_ Replied, err error) {
	caller := Caller{User: of.User}
	var before repeatable
	load := loadRepeatable(s, caller, of.Problem, snapshot.Attachments, cmd.Idempotency)
	err = s.core.Views.Once(ctx, func(r store.Reader) (err error) {
		before, err = load(ctx, r)
		return err
	})
	if err != nil {
		return of, err
	}
	if _, of.Repeated = cmd.Idempotency.Replay(before.reply); of.Repeated {
		return of, nil
	}
	if err := cmd.Idempotency.Check(before.reply); err != nil {
		return of, otherMail(err)
	}
	files := replyAttachments(reply, before.Attachments)
	of.LeftOut = len(reply.Files) - len(files)
	if len(files) == 0 && !cmd.Text.Sent {
		return of, noReply()
	}
	if err := s.checkReplyFiles(ctx, reply, files, before); err != nil {
		return of, err
	}
	stored, err := s.putReplyFiles(ctx, of.Problem, files)
	cmd.files = stored
	if err == nil {
		_, err = s.activeReplier(ctx, of.User) // storing takes time
	}
	var a Answer[problem.Comment]
	if err == nil {
		a, err = s.AddComment(ctx, caller, of.Problem, cmd)
	}
	if of.Repeated = a.Replay != nil; (err != nil || of.Repeated) && !fault.Is(err, fault.UnknownOutcome) {
		after, cancel := context.WithTimeout(context.WithoutCancel(ctx), attachFor)
		defer cancel()
		for _, f := range stored {
			s.dropFile(after, blob.Key{Problem: of.Problem, Attachment: f.ID}, f.Bytes)
		}
	} else {
		of.Files = len(stored)
	}
	return of, otherMail(err)
}

// replyAttachments returns the files of a reply without the pictures of signatures and quotes
// (D42): those that are an Ornament, and those that the problem has already.
func replyAttachments(reply Reply, attached []problem.Attachment) (files []ReplyFile) {
	known := make(map[problem.Digest]bool, len(attached))
	for _, a := range attached {
		known[a.Digest] = true
	}
	own := mail.Written(reply.Layout, reply.Token)
	for _, f := range reply.Files {
		digest := problem.Digest(sha256.Sum256(f.Content))
		if f.Place != "" && (known[digest] || mail.Ornament(own, f.Place, len(f.Content))) {
			continue
		}
		known[digest] = true // a program may send a picture once for each place
		files = append(files, f)
	}
	return files
}

// checkReplyFiles refuses files before anything is stored, with a sentence for the author of the
// mail.
func (s *Service) checkReplyFiles(ctx context.Context, reply Reply, files []ReplyFile, of repeatable) error {
	if len(files) == 0 {
		return nil
	}
	if s.files == nil {
		return fault.New(fault.InvalidValue, "this service takes no files: send the mail without them")
	}
	if err := fullOfAttachments(len(files), of.Attachments, s.limits); err != nil {
		return err
	}
	var size int64
	for _, f := range files {
		if size += int64(len(f.Content)); int64(len(f.Content)) > s.limits.File {
			return fault.New(fault.TooLarge, "the file %q has %d bytes, and a file can have %d: send the mail without it", f.Name, len(f.Content), s.limits.File)
		}
		if f.holds(strings.ToLower(reply.Token)) {
			return fault.New(fault.InvalidValue, "a file of the mail has the address for your replies in it, or in its name, and everybody who reads it could write in your name: send the mail without it")
		}
	}
	return s.checkRoom(ctx, size, false)
}

// holds reports whether the file, its name or its media type has a token in any letter case, in
// UTF-8 or UTF-16.
func (f ReplyFile) holds(token string) bool {
	return occurs([]byte(f.Name), token, 1) || occurs([]byte(f.MediaType), token, 1) || occurs(f.Content, token, 1) || occurs(f.Content, token, 2)
}

// occurs reports whether a lower-case token of ASCII is in the content, with so many bytes for each
// character.
func occurs(content []byte, token string, width int) bool {
	for at := range content {
		same := 0
		for i := at; i < len(content) && same < len(token) && lower(content[i]) == token[same]; i += width {
			same++
		}
		if same == len(token) {
			return true
		}
	}
	return false
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}

// fullOfAttachments refuses more files than the problem takes.
func fullOfAttachments(more int, attached []problem.Attachment, limits Limits) error {
	if has := present(attached); more > 0 && has+more > limits.Attachments {
		return fault.New(fault.InvalidValue, "a problem has at most %d attachments: this one has %d, and the mail brings %d more", limits.Attachments, has, more)
	}
	return nil
}

// putReplyFiles stores files, and returns their records. After an error it returns those of the
// stored ones.
func (s *Service) putReplyFiles(ctx context.Context, id problem.ID, files []ReplyFile) (stored []problem.Attachment, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	m, err := s.core.Moment(ctx)
	for _, f := range files {
		if err != nil {
			return stored, err
		}
		mediaType, ok := problem.MediaType(f.MediaType)
		if !ok {
			mediaType = problem.UnknownMediaType
		}
		a := problem.Attachment{ID: m.IDs.Next(), Name: f.Name, MediaType: mediaType, Bytes: int64(len(f.Content))}
		file := &incoming{r: bytes.NewReader(f.Content), most: s.limits.File, sum: sha256.New(), room: &s.filesRoom}
		if err = s.putFile(ctx, blob.Key{Problem: id, Attachment: a.ID}, file); err == nil {
			a.Digest = file.digest()
			stored = append(stored, a)
		}
	}
	return stored, err
}
