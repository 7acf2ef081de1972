#!/usr/bin/env python3
"""csv2archive.py FILE: turns a CSV of issues into an archive for "problems import".

The archive keeps the dates of the CSV. adapters/README.md describes the format.
The script writes nothing when a row is wrong.
"""
import csv
import hashlib
import json
import sys
import unicodedata
from datetime import datetime, timezone

# The columns of your CSV.
TITLE, CREATED, CLOSED = "title", "created", "closed"

# The administrator of the new store. All imported changes are theirs.
NAME, EMAIL = "Administrator", "admin@localhost"

KINDS = ["state", "priority", "classification", "component", "milestone", "user", "token", "savedQuery", "webhook",
         "auditEntry", "problem", "savepoint", "logEntry", "comment", "keyword", "relationship", "watcher", "readMark", "event"]
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
    try:
        moment = datetime.fromisoformat(text.strip().replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone.utc)
        moment = moment.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        raise ValueError(f"{text[:40]!r} is not a date such as 2019-03-04T10:00:00Z") from None
    return moment.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def issue(row):
    """Return title, creation and closing of a row. Raise ValueError if it is wrong."""
    if row.get(None) or None in row.values():
        raise ValueError("the row has fewer or more fields than the header: "
                         "write a comma for an empty field, and quotes around a field with commas")
    title = row[TITLE].strip()
    if not 1 <= len(title) <= 1000 or all(unicodedata.category(c)[0] in "ZC" for c in title):
        raise ValueError("the title needs 1 to 1000 characters, and people have to see one of them")
    if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in title):
        raise ValueError("the title has a control character, such as the end of a line: remove it")
    created = time(row[CREATED])
    closed = time(row[CLOSED]) if row[CLOSED].strip() else None
    if closed and closed < created:
        raise ValueError(f"it was closed at {closed}, before it was created at {created}")
    return title, created, closed


def issues(path):
    """Return the issues of a CSV, and the faults of its rows."""
    csv.field_size_limit(1 << 30)
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file, strict=True)
        header = rows.fieldnames or []
        missing = [name for name in (TITLE, CREATED, CLOSED) if header.count(name) != 1]
        if missing:
            raise ValueError(f"line 1: the header needs each of the columns {TITLE}, {CREATED} and {CLOSED} once, with commas "
                             f"between them; {', '.join(missing)} is missing or repeated. It is: {', '.join(header)[:200]}")
        found, faults = [], []
        try:
            for row in rows:
                try:
                    found.append(issue(row))
                except ValueError as fault:
                    faults.append(f"line {rows.reader.line_num}: {fault}")
        except csv.Error as fault:
            faults.append(f"line {rows.reader.line_num}: {fault}")
    return found, faults


if len(sys.argv) != 2:
    sys.exit("usage: csv2archive.py FILE")
try:
    read, wrong = issues(sys.argv[1])
except UnicodeDecodeError as fault:
    sys.exit(f"{sys.argv[1]}: it is not UTF-8 near byte {fault.start}: save it as UTF-8")
except (OSError, ValueError, csv.Error) as fault:
    sys.exit(f"{sys.argv[1]}: {fault}")
if wrong:
    sys.exit("\n".join(f"{sys.argv[1]}: {fault}" for fault in wrong))

sys.stdout.reconfigure(encoding="utf-8", newline="\n")
OPEN, CLOSE, AUTHOR = identifier(), identifier(), identifier()
write("header", version=7, catalogueVersion=1)
write("state", identifier=OPEN, name="Open", initial=True, resolved=False, order=1, nextStates=[CLOSE])
write("state", identifier=CLOSE, name="Closed", initial=False, resolved=True, order=2, nextStates=[OPEN])
write("user", identifier=AUTHOR, name=NAME, email=EMAIL, mail=None, inactive=False)

number = 0
for number, (title, created, closed) in enumerate(read, start=1):
    batch, closing = identifier(), identifier()

    def fields(at, resolved):
        return dict(title=title, state=CLOSE if resolved else OPEN, priority=None, classification=None,
                    component=None, milestone=None, assignee=None, due=None, modifier=AUTHOR, modificationDate=at,
                    resolver=AUTHOR if resolved else None, resolveDate=at if resolved else None)

    write("problem", identifier=number, originator=AUTHOR, creationDate=created,
          revision=2 if closed else 1, **fields(closed or created, closed))
    write("savepoint", problem=number, batchIdentifier=batch, revision=1, **fields(created, None))
    if closed:
        write("savepoint", problem=number, batchIdentifier=closing, revision=2, **fields(closed, closed))
    write("logEntry", problem=number, identifier=identifier(), type="ProblemCreated", batchIdentifier=batch, revision=1,
          author=AUTHOR, creationDate=created, field=None, **{"from": None},
          to={"title": title, "state": {"identifier": OPEN, "name": "Open"}})
    if closed:
        write("logEntry", problem=number, identifier=identifier(), type="FieldChanged", batchIdentifier=closing,
              revision=2, author=AUTHOR, creationDate=closed, field="state",
              **{"from": {"identifier": OPEN, "name": "Open"}}, to={"identifier": CLOSE, "name": "Closed"})

write("manifest", version=7, nextIdentifier=number + 1, counts=counts,
      sha256={kind: digest.hexdigest() for kind, digest in sums.items()})
