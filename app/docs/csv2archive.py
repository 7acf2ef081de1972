#!/usr/bin/env python3
"""csv2archive.py FILE: turns a CSV of issues into an archive for "problems import".

The archive keeps the dates of the CSV. adapters/README.md describes the format.
"""
import csv
import hashlib
import json
import sys
from datetime import datetime, timezone

# The columns of your CSV.
TITLE, CREATED, CLOSED = "title", "created", "closed"

# The administrator of the new store. All imported changes are theirs.
NAME, EMAIL = "Administrator", "admin@localhost"

KINDS = ["state", "priority", "classification", "component", "milestone", "user", "token", "savedQuery", "auditEntry",
         "problem", "savepoint", "logEntry", "comment", "keyword", "relationship", "watcher", "readMark"]
counts = dict.fromkeys(KINDS, 0)
sums = {kind: hashlib.sha256() for kind in KINDS}
last = 0


def identifier():
    """Return the next identifier, in the form of a UUID of version 7."""
    global last
    last += 1
    return f"01900000-0000-7000-8000-{last:012x}"


def write(kind, **members):
    """Write one line, and count it for the manifest."""
    line = json.dumps({"kind": kind, **members}, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"
    sys.stdout.write(line)
    if kind in counts:
        counts[kind] += 1
        sums[kind].update(line.encode())


def time(text):
    """Return a date of the CSV as UTC with three decimals."""
    moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


sys.stdout.reconfigure(encoding="utf-8", newline="\n")
OPEN, CLOSE, AUTHOR = identifier(), identifier(), identifier()
write("header", version=2, catalogueVersion=1)
write("state", identifier=OPEN, name="Open", initial=True, resolved=False, order=1, nextStates=[CLOSE])
write("state", identifier=CLOSE, name="Closed", initial=False, resolved=True, order=2, nextStates=[OPEN])
write("user", identifier=AUTHOR, name=NAME, email=EMAIL, inactive=False)

number = 0
with open(sys.argv[1], newline="", encoding="utf-8-sig") as file:
    for number, row in enumerate(csv.DictReader(file), start=1):
        created = time(row[CREATED])
        closed = time(row[CLOSED]) if row[CLOSED].strip() else None
        batch, closing = identifier(), identifier()

        def fields(at, resolved):
            return dict(title=row[TITLE].strip(), state=CLOSE if resolved else OPEN, priority=None, classification=None,
                        component=None, milestone=None, assignee=None, modifier=AUTHOR, modificationDate=at,
                        resolver=AUTHOR if resolved else None, resolveDate=at if resolved else None)

        write("problem", identifier=number, originator=AUTHOR, creationDate=created,
              revision=2 if closed else 1, **fields(closed or created, closed))
        write("savepoint", problem=number, batchIdentifier=batch, revision=1, **fields(created, None))
        if closed:
            write("savepoint", problem=number, batchIdentifier=closing, revision=2, **fields(closed, closed))
        write("logEntry", problem=number, identifier=identifier(), type="ProblemCreated", batchIdentifier=batch, revision=1,
              author=AUTHOR, creationDate=created, field=None, **{"from": None},
              to={"title": row[TITLE].strip(), "state": {"identifier": OPEN, "name": "Open"}})
        if closed:
            write("logEntry", problem=number, identifier=identifier(), type="FieldChanged", batchIdentifier=closing,
                  revision=2, author=AUTHOR, creationDate=closed, field="state",
                  **{"from": {"identifier": OPEN, "name": "Open"}}, to={"identifier": CLOSE, "name": "Closed"})

write("manifest", version=2, nextIdentifier=number + 1, counts=counts,
      sha256={kind: digest.hexdigest() for kind, digest in sums.items()})
