package load

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/problemtracking/problems/adapters/archive"
	"github.com/problemtracking/problems/conformance/dataset"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
)

// replayLimit is how long it may take to replay an archive.
const replayLimit = time.Hour

// Replay makes the content of an archive over HTTP, on a server with a new store and
// without an import. It sends request by request, as in the logs, so problems have the
// same numbers and logs. Dates are of today, and watchers come from the log. It sets the
// tokens of the scene. The first one has to be the administrator's.
func Replay(ctx context.Context, c Contender, s *Scene, from io.Reader) error {
	loaded, err := transfer.Load(archive.NewReader(from), ident.None) // it is not restored
	if err != nil {
		return err
	}
	w, err := newWorker(c, s, 0, 1, 0, time.Now().Add(replayLimit))
	if err != nil {
		return err
	}
	defer w.Close()
	r := &replayer{worker: w, users: map[ident.ID]int{}}
	if err := r.metadata(loaded.Metadata); err != nil {
		return err
	}
	for d, err := range loaded.Problems {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = r.problem(d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// replayer replays an archive on one connection.
type replayer struct {
	*worker
	users      map[ident.ID]int // by their numbers
	components map[ident.ID]string
	milestones map[ident.ID]string
	priorities map[ident.ID]string
	states     map[ident.ID]string
}

// metadata makes the missing metadata: components, milestones and users, and tokens for
// these.
func (r *replayer) metadata(content metadata.Content) error {
	r.states, r.priorities = map[ident.ID]string{}, map[ident.ID]string{}
	r.components, r.milestones = map[ident.ID]string{}, map[ident.ID]string{}
	for _, o := range content.States {
		r.states[o.ID] = o.Name
	}
	for _, o := range content.Priorities {
		r.priorities[o.ID] = o.Name
	}
	administrator := r.scene.tokens[0]
	for _, o := range content.Components {
		r.components[o.ID] = o.Name
		if err := r.post(administrator, "/components", map[string]any{"name": o.Name}); err != nil {
			return err
		}
	}
	for _, o := range content.Milestones {
		r.milestones[o.ID] = o.Name
		if err := r.post(administrator, "/milestones", map[string]any{"name": o.Name}); err != nil {
			return err
		}
	}
	r.scene.tokens = r.scene.tokens[:1]
	for n, o := range content.Users {
		r.users[o.ID] = n
		if n == 0 {
			continue // the administrator
		}
		if err := r.post(administrator, "/users", map[string]any{"name": o.Name, "email": o.Email}); err != nil {
			return err
		}
		if err := r.post(administrator, "/tokens", map[string]any{"user": map[string]any{"email": o.Email}, "scope": "write"}); err != nil {
			return err
		}
		var made struct{ Token string }
		if err := json.Unmarshal(r.body, &made); err != nil || made.Token == "" {
			return fmt.Errorf("POST /tokens answers without a token: %v", err)
		}
		r.scene.tokens = append(r.scene.tokens, made.Token)
	}
	return nil
}

// post creates something.
func (r *replayer) post(token, path string, body map[string]any) error {
	r.to("%s", path)
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return r.askAs(token, "POST", asJSON, text, 201)
}

// problem makes a problem from its log. Of two related problems the later one has the
// relationship.
func (r *replayer) problem(d store.Dossier) error {
	comments := d.Comments
	for _, entry := range d.Log {
		token := r.scene.tokens[r.users[entry.Author]]
		var err error
		switch entry.Type {
		case problem.ProblemCreated:
			err = r.create(token, d.ID, d.Savepoints[0].Fields)
		case problem.CommentAdded:
			r.to("/problems/%d/comments", d.ID)
			err = r.askAs(token, "POST", asText, []byte(comments[0].Text), 201)
			comments = comments[1:]
		case problem.KeywordSet:
			r.to("/problems/%d/keywords/%s", d.ID, url.PathEscape(entry.Field))
			err = r.askAs(token, "PUT", asJSON, []byte(entry.To.JSON()), 200, 201)
		case problem.FieldChanged:
			var to struct{ Name string }
			if err := json.Unmarshal([]byte(entry.To.JSON()), &to); err != nil {
				return err
			}
			r.to("/problems/%d", d.ID)
			err = r.askAs(token, "PATCH", asJSON, fmt.Appendf(nil, `{%q:{"name":%q}}`, entry.Field, to.Name), 200)
		case problem.RelationshipAdded:
			var to struct{ ProblemIdentifier problem.ID }
			if err := json.Unmarshal([]byte(entry.To.JSON()), &to); err != nil {
				return err
			}
			if to.ProblemIdentifier > d.ID {
				continue
			}
			r.to("/problems/%d/relationships", d.ID)
			err = r.askAs(token, "PUT", asJSON, fmt.Appendf(nil, `{"type":%q,"problemIdentifier":%d}`, entry.Field, to.ProblemIdentifier), 201)
		default:
			err = fmt.Errorf("problem %d has a log entry %s, which cannot be replayed", d.ID, entry.Type)
		}
		if err != nil {
			return err
		}
	}
	for _, watcher := range d.Watchers {
		n := r.users[watcher]
		r.to("/problems/%d/watchers", d.ID)
		if err := r.askAs(r.scene.tokens[n], "PUT", asJSON, fmt.Appendf(nil, `{"email":%q}`, dataset.Email(n)), 200, 201); err != nil {
			return err
		}
	}
	return nil
}

// create creates a problem with its first fields.
func (r *replayer) create(token string, id problem.ID, f problem.Fields) error {
	name := func(of string) map[string]string { return map[string]string{"name": of} }
	body := map[string]any{"title": f.Title, "state": name(r.states[f.State]), "priority": name(r.priorities[f.Priority]),
		"component": name(r.components[f.Component]), "assignee": map[string]string{"email": dataset.Email(r.users[f.Assignee])}}
	if !f.Milestone.IsNone() {
		body["milestone"] = name(r.milestones[f.Milestone])
	}
	if err := r.post(token, "/problems", body); err != nil {
		return err
	}
	var made struct{ Identifier problem.ID }
	if err := json.Unmarshal(r.body, &made); err != nil || made.Identifier != id {
		return fmt.Errorf("problem %d of the archive was created as %d (%v): the store was not empty", id, made.Identifier, err)
	}
	return nil
}
