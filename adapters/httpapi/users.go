package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

func userEndpoints() []endpoint {
	return append(userKind().endpoints(), endpoint{
		id: "me", method: http.MethodGet, path: "/me", tag: tagUsers,
		summary: "Show whom the token stands for",
		scope:   access.Read,
		answers: []result{{status: 200, description: "The user, and the token's scope and expiry.", of: wire.Me{},
			example: func(e *wire.Encoder) { e.Me(tracker.Caller{Scope: access.Write}, samples.Ann) }}},
		do: (*call).me,
	}, endpoint{
		id: "getMail", method: http.MethodGet, path: "/me/mail", tag: tagUsers,
		summary:     "Show which e-mail the user of the token gets",
		description: "The service sends e-mail to the user's address, about changes by others, if an administrator has set that up.",
		scope:       access.Read,
		answers:     []result{{status: 200, description: "The choice.", of: wire.Mail{}, example: func(e *wire.Encoder) { e.Mail(samples.Ann) }}},
		do:          (*call).mail,
	}, endpoint{
		id: "setMail", method: http.MethodPut, path: "/me/mail", tag: tagUsers,
		summary: "Choose which e-mail the user of the token gets",
		scope:   access.Write,
		bodies:  jsonBody(`{"mail":"none"}`, wire.MailPatch{}),
		answers: []result{{status: 200, description: "The choice.", of: wire.Mail{}, headers: []string{"Dry-Run"},
			example: func(e *wire.Encoder) { none := samples.Ann; none.Mail = user.MailNone; e.Mail(none) }}},
		faults: []fault.Kind{fault.RequiredField, fault.UnknownField, fault.ValidationFailed},
		do:     (*call).setMail,
	})
}

// tagUsers is the tag of the operations about users.
const tagUsers = "Users"

func userKind() metadataKind[user.User, tracker.UserPatch] {
	inactive := samples.Ann
	inactive.Inactive = true
	return metadataKind[user.User, tracker.UserPatch]{
		one: "user", many: "users", tag: tagUsers, order: "by name",
		about:      "Making a user inactive revokes the user's tokens for good. The user of the last valid token of scope admin cannot be made inactive: create another token first. Users are never deleted.",
		objects:    (*tracker.Service).Users,
		identifier: func(o user.User) ident.ID { return o.ID },
		encode:     (*wire.Encoder).User,
		members: func(p *tracker.UserPatch) []wire.Member {
			return []wire.Member{
				{Name: "name", Into: &p.Name},
				{Name: "email", Into: &p.Email},
				{Name: "inactive", Into: &p.Inactive},
			}
		},
		createScope: access.Admin,
		record:      wire.User{}, records: []wire.User{}, created: wire.CreatedUser{}, create: wire.NewUser{}, patch: wire.UserPatch{},
		sampleList: []user.User{samples.Ann, samples.Bob},
		creates: sample[user.User]{`{"name":"Eve","email":"eve@example.org"}`,
			user.User{ID: samples.Identifier(20), Name: "Eve", Email: "eve@example.org"}},
		updates: sample[user.User]{`{"inactive":true}`, inactive},
		more:    []fault.Kind{fault.InUse},
	}
}

// me answers with the user of the token (D33).
func (c *call) me() (answer, error) {
	a, err := c.Service.Users().Load(c.r.Context(), c.caller.User)
	return answered(a, err, func(a tracker.Answer[user.User]) answer {
		var e wire.Encoder
		e.Me(c.caller, a.Value)
		return answer{status: http.StatusOK, body: e.Buf}
	})
}

func renderMail(a tracker.Answer[user.User]) answer {
	var e wire.Encoder
	e.Mail(a.Value)
	return answer{status: http.StatusOK, body: e.Buf}
}

func (c *call) mail() (answer, error) {
	a, err := c.Service.Users().Load(c.r.Context(), c.caller.User)
	return answered(a, err, renderMail)
}

func (c *call) setMail() (answer, error) {
	cmd := tracker.SetMail{Write: tracker.Write{DryRun: c.dryRun}}
	if err := c.decode(&cmd.Faults, wire.Member{Name: "mail", Into: &cmd.Mail}); err != nil {
		return answer{}, err
	}
	a, err := c.Service.SetMail(c.r.Context(), c.caller, cmd)
	return answered(a, err, renderMail)
}
