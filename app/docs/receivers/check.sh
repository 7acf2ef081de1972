#!/bin/sh
# Checks one message: its body comes on standard input, the headers are in ID, TIMESTAMP
# and SIGNATURE, and the secret of the webhook is in SECRET. It prints the body, or fails.
set -eu
key=$(printf %s "${SECRET#whsec_}" | base64 -d | od -An -v -tx1 | tr -d ' \n')
body=$(mktemp)
trap 'rm -f "$body"' EXIT
most=8388608 # the largest message, in bytes
head -c $((most + 1)) > "$body"
if [ "$(wc -c < "$body")" -gt $most ]; then
    echo "the message is too large" >&2
    exit 1
fi
age=$(( $(date +%s) - TIMESTAMP ))
if [ "$age" -gt 300 ] || [ "$age" -lt -300 ]; then
    echo "the message is too old" >&2
    exit 1
fi
want=v1,$({ printf '%s.%s.' "$ID" "$TIMESTAMP"; cat "$body"; } |
    openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64)
for signature in $SIGNATURE; do
    if [ "$signature" = "$want" ]; then
        cat "$body"
        exit 0
    fi
done
echo "the message is not signed" >&2
exit 1
