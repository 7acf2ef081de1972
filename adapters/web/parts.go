package web

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/tracker"
)

// toProblem returns the way back to the problem of a form.
func (q *request) toProblem(anchor string) answer {
	if anchor != "" {
		anchor = "#" + anchor
	}
	return q.redirect("/problems/" + q.r.PathValue("problem") + anchor)
}

// onProblem runs a change of the problem in the path, and leads back to it.
func onProblem(q *request, anchor string, do func(problem.ID) error) (answer, error) {
	id, err := q.problemID()
	if err == nil {
		err = do(id)
	}
	if err != nil {
		return answer{}, err
	}
	return q.toProblem(anchor), nil
}

// markRead sets the caller's read mark. With a revision, it fails if the problem has another
// one by now: changes that the reader has not seen stay unread.
func markRead(q *request) (answer, error) {
	return onProblem(q, "", func(id problem.ID) error {
		cmd := tracker.UpdateProblem{ProblemPatch: problem.Patch{Read: patch.Set(q.form.Get("read") == "yes")}}
		if sent := q.form.Get("revision"); sent != "" {
			revision, err := strconv.ParseInt(sent, 10, 64)
			if err != nil {
				return fault.New(fault.MalformedRequest, "a revision is a number")
			}
			cmd.Revision = patch.Set(revision)
		}
		_, err := q.Service.UpdateProblem(q.context(), q.caller, id, cmd)
		return err
	})
}

func setKeyword(q *request) (answer, error) {
	return onProblem(q, "keywords", func(id problem.ID) error {
		cmd := tracker.SetKeyword{Name: q.form.Get("name")}
		if value := q.form.Get("value"); value != "" {
			cmd.Value = problem.Text(value)
		}
		_, err := q.Service.SetKeyword(q.context(), q.caller, id, cmd)
		return err
	})
}

func deleteKeyword(q *request) (answer, error) {
	return onProblem(q, "keywords", func(id problem.ID) error {
		_, err := q.Service.DeleteKeyword(q.context(), q.caller, id, tracker.DeleteKeyword{Name: q.form.Get("name")})
		return err
	})
}

// otherProblem is the place of a fault in the number of the other problem.
var otherProblem = fault.At("problemIdentifier")

// numberOf is how people write the number of a problem: alone, or with "#" and then perhaps its title.
var numberOf = regexp.MustCompile(`^(?:#?([0-9]+)|#([0-9]+)\s.*)$`)

// relation returns the relationship in a form with the number of the other problem.
func (q *request) relation() (tracker.Relate, error) {
	typed := numberOf.FindStringSubmatch(strings.TrimSpace(q.form.Get("problem")))
	if typed != nil {
		if n, err := strconv.ParseInt(typed[1]+typed[2], 10, 64); err == nil && n > 0 {
			return tracker.Relate{Type: patch.Set(q.form.Get("type")), Other: patch.Set(problem.ID(n))}, nil
		}
	}
	return tracker.Relate{}, fault.New(fault.InvalidValue, "the other problem is named by its number, such as 12, or by words of its title")
}

// relationshipChoice offers all types of relationships, with one selected.
func (q *request) relationshipChoice(selected string) forms.Choice {
	choice := forms.Choice{Field: "type", Label: "relationship.type", Required: true, Value: cmp.Or(selected, string(relationship.Types()[0]))}
	for _, t := range relationship.Types() {
		choice.Options = append(choice.Options, forms.Option{Value: string(t), Name: q.say("relationship." + string(t)), Selected: string(t) == selected})
	}
	return choice
}

// relatePage offers the problems whose titles have the typed words.
type relatePage struct {
	layout
	Path, Type, Words string
	Found             []relatedLink
}

// relate relates a problem to another one, which people name by its number or by words of its title.
// With several of these titles, they choose.
func relate(q *request) (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	words := strings.TrimSpace(q.form.Get("problem"))
	if words != "" && !numberOf.MatchString(words) {
		found, err := q.titled(id, words)
		if err != nil {
			return answer{}, err
		}
		if len(found) > 1 {
			c, err := q.catalogue()
			if err != nil {
				return answer{}, err
			}
			view := relatePage{layout: q.signedIn(q.say("relate.title"), c).in("problems"), Path: q.r.URL.Path, Type: q.form.Get("type"), Words: words, Found: found}
			view.Again = againForm
			return page("relate", view), nil
		}
		if len(found) == 1 {
			q.form.Set("problem", formatID(found[0].ID))
		}
	}
	return onProblem(q, "relationships", func(id problem.ID) error {
		cmd, err := q.relation()
		if err == nil {
			_, err = q.Service.AddRelationship(q.context(), q.caller, id, cmd)
		}
		return err
	})
}

// titled returns the first problems with the words in their titles, but for one of them.
func (q *request) titled(but problem.ID, words string) ([]relatedLink, error) {
	cmd := tracker.SearchProblems{Search: searchFor("title CONTAINS[cd] "+predicate.Quote(words)+" AND identifier != "+formatID(but), "-modificationDate")}
	cmd.Limit = patch.Set(int64(mostFound))
	found, err := q.as().Search(q.context(), cmd)
	if err != nil {
		return nil, err
	}
	return linksTo(found)
}

func unrelate(q *request) (answer, error) {
	return onProblem(q, "relationships", func(id problem.ID) error {
		cmd, err := q.relation()
		if err == nil {
			_, err = q.Service.DeleteRelationship(q.context(), q.caller, id, cmd)
		}
		return err
	})
}

// addWatcher makes the chosen user a watcher. The form of the button to watch has no field for
// a user: it is about the caller.
func addWatcher(q *request) (answer, error) {
	return onProblem(q, "watchers", func(id problem.ID) error {
		cmd := tracker.AddWatcher{User: forms.ByID(q.caller.User)}
		switch chosen := forms.Reference(q.form, "user"); {
		case chosen.Null:
			return fault.New(fault.RequiredField, "the new watcher must be given: choose a user, or type a name or an e-mail address")
		case chosen.Sent:
			cmd.User = chosen.Value
		}
		_, err := q.Service.AddWatcher(q.context(), q.caller, id, cmd)
		return err
	})
}

// assignToMe makes the caller the assignee.
func assignToMe(q *request) (answer, error) {
	return onProblem(q, "", func(id problem.ID) error {
		_, err := q.Service.UpdateProblem(q.context(), q.caller, id, tracker.UpdateProblem{ProblemPatch: problem.Patch{Assignee: patch.Set(forms.ByID(q.caller.User))}})
		return err
	})
}

// claimFor is how many seconds a claim of the pages lasts: a day of work.
const claimFor = 8 * 60 * 60

// takeClaim claims the problem for the caller (D49).
func takeClaim(q *request) (answer, error) {
	return onProblem(q, "", func(id problem.ID) error {
		_, err := q.Service.TakeClaim(q.context(), q.caller, id, tracker.TakeClaim{Lease: patch.Set[int64](claimFor)})
		return err
	})
}

// endClaim ends the claim that the page has shown, whoever has it (D49).
func endClaim(q *request) (answer, error) {
	return onProblem(q, "", func(id problem.ID) error {
		shown, err := ident.Parse(q.form.Get("claim"))
		if err != nil {
			return fault.New(fault.MalformedRequest, "the claim has to be an identifier")
		}
		_, err = q.Service.EndClaim(q.context(), q.caller, id, tracker.Write{Claim: shown})
		return err
	})
}

// stopWatching makes the caller leave the watchers. Nobody can remove somebody else (D16).
func stopWatching(q *request) (answer, error) {
	return onProblem(q, "watchers", func(id problem.ID) error {
		_, err := q.Service.StopWatching(q.context(), q.caller, id, tracker.Write{})
		return err
	})
}
