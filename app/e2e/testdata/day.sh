# A day with the service, told in curl. It gets the address of a server with an
# empty store and an administrator's token, and prints a transcript. Each step says
# which status and which error it has to get; the first that gets another ends the
# script.
#
#	bash day.sh http://127.0.0.1:8080 pts_…
set -eu
base_url=$1 admin=$2
api=$base_url/api/20151105
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

# step WANT SENTENCE CURL-ARGUMENTS…: sends a request and demands the status, and
# for an error the slug, in WANT.
step() {
	local want=$1 sentence=$2 got slug
	shift 2
	printf '# %s\n$ curl' "$sentence"
	for word; do
		if [ ${#word} -gt 300 ]; then word="${word:0:20}..."; fi
		printf ' %q' "$word"
	done
	printf '\n'
	curl -sS -i "$@" >"$answer"
	sed -n '1,/^\r$/p' "$answer" | tr -d '\r' | grep -v '^Date:\|^$' | sort
	sed '1,/^\r$/d' "$answer" && printf '\n\n'
	got=$(sed -n '1s/^[^ ]* \([0-9]*\).*/\1/p' "$answer")
	slug=$(sed -n 's|^{"type":"/errors/\([a-z-]*\)".*|\1|p' "$answer")
	if [ "$got${slug:+ $slug}" != "$want" ]; then
		printf '%s: got "%s", want "%s"\n' "$sentence" "$got${slug:+ $slug}" "$want" >&2
		exit 1
	fi
}

# last MEMBER: the first value of a member in the last answer.
last() { grep -o "\"$1\":\"\\?[^\",}]*" "$answer" | head -n 1 | sed 's/^[^:]*:"\?//'; }

# header NAME: a header of the last answer.
header() { tr -d '\r' <"$answer" | sed -n "s/^$1: //Ip"; }

json='Content-Type: application/json'
text='Content-Type: text/plain'

### People

step 200 'The administrator looks who this is' -H "Authorization: $admin" "$api/me"
step 201 'and adds Ann' -H "Authorization: $admin" -H "$json" -d '{"name":"Ann Lee","email":"ann@example.org"}' "$api/users"
ann_id=$(last identifier)
step 201 'and Bo' -H "Authorization: Bearer $admin" -H "$json" -d '{"name":"Bo","email":"bo@example.org"}' "$api/users"
bo_id=$(last identifier)
step 201 'and Cy, who only reads' -H "Authorization: Token $admin" -H "$json" -d '{"name":"Cy","email":"cy@example.org"}' "$api/users"
step '409 already-exists' 'Nobody shares an address' -H "Authorization: $admin" -H "$json" -d '{"name":"Ann","email":"ANN@example.org"}' "$api/users"
step 201 'Ann gets a token' -H "Authorization: $admin" -H "$json" -d '{"user":{"email":"ann@example.org"},"scope":"write"}' "$api/tokens"
ann=$(last token)
step 201 'Bo gets one' -H "Authorization: $admin" -H "$json" -d '{"user":{"email":"bo@example.org"},"scope":"write"}' "$api/tokens"
bo=$(last token)
step 201 'Cy gets one' -H "Authorization: $admin" -H "$json" -d '{"user":{"email":"cy@example.org"},"scope":"read"}' "$api/tokens"
cy=$(last token)
step 200 'All tokens' -H "Authorization: $admin" "$api/tokens"
step 200 'All users' -H "Authorization: $cy" "$api/users"
step 200 'One user' -H "Authorization: $cy" "$api/users/$ann_id"

### The requests of the specification

step 201 'W1: create' -X POST -H "Authorization: $ann" -H 'Content-Type: application/json' -d '{"title":"The lamp flickers"}' "$api/problems"
lamp=$(last identifier)
step 201 'W1: create another, by Bo' -X POST -H "Authorization: $bo" -H 'Content-Type: application/json' -d '{"title":"The fuse blows","priority":{"name":"High"}}' "$api/problems"
fuse=$(last identifier)
step 200 'W2: update with a partial state' -X PATCH -H "Authorization: $ann" -H 'Content-Type: application/json' -d '{"state":{"name":"In Progress"}}' "$api/problems/$lamp"
step 201 'W3: comment in plain text' -X POST -H "Authorization: $bo" -H 'Content-Type: text/plain' -d 'It is the fuse, I think.' "$api/problems/$lamp/comments"
step 201 'W4: set a keyword' -X PUT -H "Authorization: $ann" -H 'Content-Type: application/json' -d '"kitchen"' "$api/problems/$lamp/keywords/room"
step 200 "W4: set it as the specification's sample does" -X PATCH -H "Authorization: $ann" -H 'Content-Type: application/json' -d '"hall"' "$api/problems/$lamp/keywords/room"
step 204 'W5: delete it' -X DELETE -H "Authorization: $ann" "$api/problems/$lamp/keywords/room"
step 201 'W6: relate' -X PUT -H "Authorization: $ann" -H 'Content-Type: application/json' -d "{\"type\":\"ParentOf\",\"problemIdentifier\":$fuse}" "$api/problems/$lamp/relationships"
step 204 'W7: unrelate, with a body' -X DELETE -H "Authorization: $ann" -H 'Content-Type: application/json' -d "{\"type\":\"ParentOf\",\"problemIdentifier\":$fuse}" "$api/problems/$lamp/relationships"
step 201 'W8: watch, by e-mail address' -X PUT -H "Authorization: $ann" -H 'Content-Type: application/json' -d '{"email":"bo@example.org"}' "$api/problems/$lamp/watchers"
step 200 'R1: load with logs' -H "Authorization: $ann" "$api/problems/$lamp"
step 200 'R2: comments' -H "Authorization: $ann" "$api/problems/$lamp/comments"
step 200 'R3: relationships' -H "Authorization: $ann" "$api/problems/$lamp/relationships"
step 200 'R4: watchers' -H "Authorization: $ann" "$api/problems/$lamp/watchers"

### Fields

step 200 'A full state object, as it was read' -X PATCH -H "Authorization: $ann" -H "$json" \
	-d "{\"state\":$(curl -sS -H "Authorization: $ann" "$api/problems/$lamp" | grep -o '"state":{[^]]*\]}' | head -n 1 | cut -c 9-)}" "$api/problems/$lamp"
step 200 'Several fields, one batch' -X PATCH -H "Authorization: $bo" -H "$json" \
	-d '{"title":" The hall lamp flickers ","assignee":{"email":"ANN@example.org"},"classification":{"name":"Task"}}' "$api/problems/$lamp"
step 200 'Null clears' -X PATCH -H "Authorization: $bo" -H "$json" -d '{"classification":null}' "$api/problems/$lamp"
step 200 'Ann reads it' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"read":true}' "$api/problems/$lamp"
step 200 'Ann closes it' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"state":{"resolved":true}}' "$api/problems/$lamp"
step '409 transition-not-allowed' 'From Closed there is no way to In Progress' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"state":{"name":"In Progress"}}' "$api/problems/$lamp"
step '409 transition-not-allowed' 'nor into Closed at birth' -H "Authorization: $ann" -H "$json" -d '{"title":"x","state":{"name":"Closed"}}' "$api/problems"
step 200 'Bo opens it again' -X PATCH -H "Authorization: $bo" -H "$json" -d '{"state":{"name":"Open"}}' "$api/problems/$lamp"
curl -sS -H "Authorization: $bo" "$api/problems/$lamp" >"$answer.read"
step 200 'A problem as R1 returned it can be sent back' -X PATCH -H "Authorization: $bo" -H "$json" -d "@$answer.read" "$api/problems/$lamp"
rm "$answer.read"

### Keywords and comments

step 201 'A slash in a name' -X PUT -H "Authorization: $ann" -H "$json" -d '"x"' "$api/problems/$lamp/keywords/a%2Fb"
step 201 'A space' -X PUT -H "Authorization: $ann" -H "$json" -d '"x"' "$api/problems/$lamp/keywords/two%20words"
step 201 'An emoji' -X PUT -H "Authorization: $ann" -H "$json" -d '"💡"' "$api/problems/$lamp/keywords/%F0%9F%92%A1"
step 201 'No value, and no bytes' -X PUT -H "Authorization: $ann" -H "$json" "$api/problems/$lamp/keywords/todo"
step 200 'The same again changes nothing' -X PUT -H "Authorization: $ann" -H "$json" -d 'null' "$api/problems/$lamp/keywords/todo"
step '404 keyword-not-found' 'Deleting what is not there' -X DELETE -H "Authorization: $ann" "$api/problems/$lamp/keywords/todo2"
step '422 invalid-value' 'Two dots are no name' -X PUT -H "Authorization: $ann" -H "$json" -d '"x"' "$api/problems/$lamp/keywords/%2E%2E"
step '422 invalid-type' 'A number is no value' -X PUT -H "Authorization: $ann" -H "$json" -d '7' "$api/problems/$lamp/keywords/n"
step 201 'A comment in JSON' -H "Authorization: $ann" -H "$json" -d '{"text":"Naïve 💡","html":"<b>Naïve</b> 💡"}' "$api/problems/$lamp/comments"
step 201 'A comment of several lines' -H "Authorization: $ann" -H "$text" --data-binary $'one\r\n\ttwo\n' "$api/problems/$lamp/comments"
step '415 unsupported-media-type' 'Latin-1 is not read' -H "Authorization: $ann" -H 'Content-Type: text/plain; charset=iso-8859-1' -d 'x' "$api/problems/$lamp/comments"

### Relationships

step 201 'A third problem' -H "Authorization: $ann" -H "$json" -d '{"title":"The wire is hot"}' "$api/problems"
wire=$(last identifier)
step 201 'The lamp is blocked by the fuse' -X PUT -H "Authorization: $ann" -H "$json" -d "{\"type\":\"BlockedBy\",\"problemIdentifier\":$fuse}" "$api/problems/$lamp/relationships"
step 200 'which is known' -X PUT -H "Authorization: $ann" -H "$json" -d "{\"type\":\"BlockerOf\",\"problemIdentifier\":$lamp}" "$api/problems/$fuse/relationships"
step '409 relationship-conflict' 'and not the other way round' -X PUT -H "Authorization: $ann" -H "$json" -d "{\"type\":\"BlockerOf\",\"problemIdentifier\":$fuse}" "$api/problems/$lamp/relationships"
step 201 'The fuse is blocked by the wire' -X PUT -H "Authorization: $ann" -H "$json" -d "{\"type\":\"BlockedBy\",\"problemIdentifier\":$wire}" "$api/problems/$fuse/relationships"
step '409 relationship-cycle' 'and the wire not by the lamp' -X PUT -H "Authorization: $ann" -H "$json" -d "{\"type\":\"BlockedBy\",\"problemIdentifier\":$lamp}" "$api/problems/$wire/relationships"
step '422 invalid-value' 'An unknown other problem' -X PUT -H "Authorization: $ann" -H "$json" -d '{"type":"BlockedBy","problemIdentifier":999999}' "$api/problems/$wire/relationships"
step 200 'The fuse between the two' -H "Authorization: $ann" "$api/problems/$fuse/relationships"
curl -sS -H "Authorization: $ann" "$api/problems/$lamp/relationships" | sed 's/^\[//; s/\]$//' >"$answer.read"
step 204 'What was read can be sent to W7' -X DELETE -H "Authorization: $ann" -H "$json" -d "@$answer.read" "$api/problems/$lamp/relationships"
step '404 relationship-not-found' 'once' -X DELETE -H "Authorization: $ann" -H "$json" -d "@$answer.read" "$api/problems/$lamp/relationships"
rm "$answer.read"

### Watchers

step 201 'Ann watches, by identifier' -X PUT -H "Authorization: $ann" -H "$json" -d "{\"identifier\":\"$ann_id\"}" "$api/problems/$lamp/watchers"
step 200 'Bo watches already' -X PUT -H "Authorization: $ann" -H "$json" -d '{"name":"Bo"}' "$api/problems/$lamp/watchers"
step '422 metadata-ambiguous' 'Nobody in particular' -X PUT -H "Authorization: $ann" -H "$json" -d '{}' "$api/problems/$lamp/watchers"
step '422 metadata-not-found' 'Nobody at all' -X PUT -H "Authorization: $ann" -H "$json" -d '{"email":"dee@example.org"}' "$api/problems/$lamp/watchers"
step '405 method-not-allowed' 'There is no way to remove one' -X DELETE -H "Authorization: $ann" "$api/problems/$lamp/watchers"
step 200 'Both' -H "Authorization: $cy" "$api/problems/$lamp/watchers"

### Conditions, keys and dry runs

step 200 'The lamp' -H "Authorization: $ann" "$api/problems/$lamp"
etag=$(header ETag)
step 304 'has not changed' -H "Authorization: $ann" -H "If-None-Match: $etag" "$api/problems/$lamp"
step 200 'If it has not changed' -X PATCH -H "Authorization: $ann" -H "$json" -H "If-Match: $etag" -d '{"title":"The lamp is on"}' "$api/problems/$lamp"
step '412 stale-revision' 'it has now' -X PATCH -H "Authorization: $ann" -H "$json" -H "If-Match: $etag" -d '{"title":"x"}' "$api/problems/$lamp"
step 201 'Once' -H "Authorization: $ann" -H "$text" -H 'Idempotency-Key: once' -d 'Done.' "$api/problems/$lamp/comments"
step 201 'and only once' -H "Authorization: $ann" -H "$text" -H 'Idempotency-Key: once' -d 'Done.' "$api/problems/$lamp/comments"
step '409 idempotency-conflict' 'and nothing else' -H "Authorization: $ann" -H "$text" -H 'Idempotency-Key: once' -d 'Undone.' "$api/problems/$lamp/comments"
step 201 'What if there were another' -H "Authorization: $ann" -H "$json" -d '{"title":"What if"}' "$api/problems?dryRun=true"
step 200 'What if the lamp were closed' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"state":{"name":"Closed"}}' "$api/problems/$lamp?dryRun=true"
step '400 malformed-request' 'Half a dry run is none' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"state":{"name":"Closed"}}' "$api/problems/$lamp?dryRun=1"

### Plans

step 201 'A milestone has a name' -H "Authorization: $ann" -H "$json" -d '{"name":"Spring"}' "$api/milestones"
spring_id=$(last identifier)
step '409 already-exists' 'that no other has' -H "Authorization: $ann" -H "$json" -d '{"name":" Spring "}' "$api/milestones"
step 200 'and dates, when they are known' -X PATCH -H "Authorization: $admin" -H "$json" -d '{"startDate":"2030-03-01T00:00:00Z","endDate":"2030-06-01T02:00:00+02:00"}' "$api/milestones/$spring_id"
step '422 invalid-value' 'that come one after the other' -X PATCH -H "Authorization: $admin" -H "$json" -d '{"endDate":"2030-02-01T00:00:00Z"}' "$api/milestones/$spring_id"
step 201 'The house' -H "Authorization: $admin" -H "$json" -d '{"name":"House"}' "$api/components"
house_id=$(last identifier)
step 201 'has a kitchen' -H "Authorization: $admin" -H "$json" -d '{"name":"Kitchen","parent":{"name":"House"}}' "$api/components"
kitchen_id=$(last identifier)
step '422 invalid-value' 'and no slash' -H "Authorization: $admin" -H "$json" -d '{"name":"Bath/Shower"}' "$api/components"
step '409 metadata-cycle' 'It is not in its kitchen' -X PATCH -H "Authorization: $admin" -H "$json" -d "{\"parent\":{\"identifier\":\"$kitchen_id\"}}" "$api/components/$house_id"
step 200 'but can be renamed' -X PATCH -H "Authorization: $admin" -H "$json" -d '{"name":"Villa"}' "$api/components/$house_id"
step 200 'with all that is in it' -H "Authorization: $cy" "$api/components"
step '409 in-use' 'What is open is not done' -X PATCH -H "Authorization: $admin" -H "$json" -d '{"resolved":true}' "$api/states/$(curl -sS -H "Authorization: $cy" "$api/states" | grep -o '[^"]*","name":"Open"' | head -n 1 | cut -d'"' -f1)"
for list in states priorities classifications milestones; do
	step 200 "All $list" -H "Authorization: $cy" "$api/$list"
done

### Questions

step 200 'What there is' -H "Authorization: $cy" "$api/problems?limit=2"
step 200 'What is open' -G -H "Authorization: $cy" --data-urlencode "predicate=state.resolved = NO" --data-urlencode 'sort=-priority.order,title' "$api/problems/search"
step 200 'in a longer letter, with everything' -H "Authorization: $cy" -H "$json" -d '{"predicate":"ANY keywords.name LIKE[c] \"*O*\" || title MATCHES \".*lamp.*\"","includeDetail":true}' "$api/problems/search"
step 200 'What Ann has watched' -G -H "Authorization: $ann" --data-urlencode "predicate=watching = YES AND NOT read = NO" "$api/problems/search"
step 200 'Who is called Bo' -G -H "Authorization: $cy" --data-urlencode "predicate=name =[c] 'BO' AND inactive = NO" "$api/users/search"
step 200 'What leads to a done state' -G -H "Authorization: $cy" --data-urlencode "predicate=ANY nextStates.resolved = YES" "$api/states/search"
step '400 invalid-predicate' 'Nothing that is not there' -G -H "Authorization: $cy" --data-urlencode "predicate=stat.resolved = NO" "$api/problems/search"
step '400 malformed-request' 'and not without a question' -H "Authorization: $cy" "$api/problems/search"
step 201 'A question to keep' -H "Authorization: $ann" -H "$json" -d '{"name":"Dark","predicate":"title CONTAINS[cd] \"lamp\"","sort":"-modificationDate"}' "$api/queries"
question_id=$(last identifier)
step 200 'Ann has it' -H "Authorization: $ann" "$api/queries"
step 200 'Bo has none' -H "Authorization: $bo" "$api/queries"
step 200 'but can ask it' -H "Authorization: $bo" "$api/problems/search?savedQuery=$api/queries/$question_id"
step 204 'until it is gone' -X DELETE -H "Authorization: $ann" "$api/queries/$question_id"
step '404 not-found' 'as it is now' -H "Authorization: $bo" "$api/problems/search?savedQuery=$question_id"

### Many at once

step '422 preview-required' 'Nobody moves them all unseen' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"milestone":{"name":"Spring"}}' "$api/problems?predicate=TRUEPREDICATE"
step 200 'What would move' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"milestone":{"name":"Spring"}}' "$api/problems?predicate=state.resolved=NO&dryRun=true"
preview=$(last preview)
step 200 'moves' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"milestone":{"name":"Spring"}}' "$api/problems?predicate=state.resolved=NO&preview=$preview"
step '412 stale-revision' 'once' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"milestone":{"name":"Spring"}}' "$api/problems?predicate=state.resolved=NO&preview=$preview"

### The past

step 200 'The lamp, when it was new' -H "Authorization: $cy" "$api/problems/$lamp?asOf=1"
step 200 'and what was said then' -H "Authorization: $cy" "$api/problems/$lamp/comments?asOf=1"
step '404 problem-not-found' 'before there was light' -H "Authorization: $cy" "$api/problems/$lamp?asOf=2001-01-01T00:00:00Z"
step '403 forbidden' 'The books are not for everybody' -H "Authorization: $ann" "$api/audit"
step 200 'What the administrator did' -H "Authorization: $admin" "$api/audit?limit=1000"

### Errors

step '400 malformed-json' 'Two titles' -H "Authorization: $ann" -H "$json" -d '{"title":"a","title":"b"}' "$api/problems"
step '401 unauthenticated' 'No token' "$api/problems/$lamp"
step '403 forbidden' 'Cy only reads' -X PATCH -H "Authorization: $cy" -H "$json" -d '{"title":"x"}' "$api/problems/$lamp"
step '403 forbidden' 'and Bo makes no users' -H "Authorization: $bo" -H "$json" -d '{"name":"x","email":"x@example.org"}' "$api/users"
step '404 problem-not-found' 'No such problem' -H "Authorization: $ann" "$api/problems/007"
step '404 not-found' 'No such path' -H "Authorization: $ann" "$api/nope"
step '404 not-found' 'No such version' -H "Authorization: $ann" "$base_url/api/20151106/problems/$lamp"
step '413 too-large' 'Too much' -H "Authorization: $ann" -H "$text" --data-binary "@-" "$api/problems/$lamp/comments" < <(head -c 1048577 /dev/zero)
step '422 required-field' 'No title' -H "Authorization: $ann" -H "$json" -d '{}' "$api/problems"
step '422 unknown-field' 'Another letter case' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"Title":"x"}' "$api/problems/$lamp"
step '422 read-only-field' 'What the service writes' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"identifier":0}' "$api/problems/$lamp"
step '422 validation-failed' 'Everything at once' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"title":"","priority":{},"milestone":{"name":"1.0"},"nope":1}' "$api/problems/$lamp"
step '403 forbidden' 'The order of errors: 403 before 415, 404, 412 and 422' -X PATCH -H "Authorization: $cy" -H 'Content-Type: text/xml' -H 'If-Match: "0"' -d '{' "$api/problems/0"
step '400 malformed-json' '400 before 404, 412 and 422' -X PATCH -H "Authorization: $ann" -H "$json" -H 'If-Match: "0"' -d '{' "$api/problems/0"
step '404 problem-not-found' '404 before 412 and 422' -X PATCH -H "Authorization: $ann" -H "$json" -H 'If-Match: "0"' -d '{"title":""}' "$api/problems/0"
step '412 stale-revision' '412 before 422' -X PATCH -H "Authorization: $ann" -H "$json" -H 'If-Match: "0"' -d '{"title":""}' "$api/problems/$lamp"
step 200 'Nothing of this has left a trace' -H "Authorization: $ann" "$api/problems/$lamp"
step 200 'A head' --head -H "Authorization: $ann" "$api/problems/$lamp"
step 204 'The options' -X OPTIONS "$api/problems/$lamp/relationships"

### The end of the day

step 200 'Bo leaves' -X PATCH -H "Authorization: $admin" -H "$json" -d '{"inactive":true}' "$api/users/$bo_id"
step '401 unauthenticated' 'and his token with him' -H "Authorization: $bo" "$api/me"
step '422 invalid-value' 'He is given no new work' -X PATCH -H "Authorization: $ann" -H "$json" -d '{"assignee":{"name":"Bo"}}' "$api/problems/$lamp"
step 200 'and watches on' -X PUT -H "Authorization: $ann" -H "$json" -d '{"email":"bo@example.org"}' "$api/problems/$lamp/watchers"
step 200 'The whole story of the lamp' -H "Authorization: $cy" "$api/problems/$lamp"
step 200 'of the fuse' -H "Authorization: $cy" "$api/problems/$fuse"
step 200 'and of the wire' -H "Authorization: $cy" "$api/problems/$wire"
