import { fixedCommand } from "./core-shell-actions.ts";
import { defineCoreAction } from "./define-core-action.ts";

// Every value comes in by the environment and is only ever used quoted, so that nothing in it can become a command. A line
// break would begin a header of its own and is refused; bodies and files are encoded, so that nothing in them can end a part.
const script = String.raw`
set -u
fail() { printf '%s\n' "$1" >&2; exit 1; }
newline='
'
carriage_return=$(printf '\r')
one_line() { case "$2" in *"$newline"* | *"$carriage_return"*) fail "$1 must be a single line";; esac; }
encoded() { printf %s "$1" | base64 | tr -d '\n'; }
header() {
	if [ -z "$(printf %s "$2" | LC_ALL=C tr -d ' -~')" ]; then printf '%s: %s\n' "$1" "$2"
	else printf '%s: =?UTF-8?B?%s?=\n' "$1" "$(encoded "$2")"; fi
}
each_file() {
	set -f; old_ifs=$IFS; IFS=,
	for file in $MAIL_ATTACHMENTS; do
		IFS=$old_ifs
		file=$(printf %s "$file" | sed 's/^ *//; s/ *$//')
		[ -z "$file" ] || "$1" "$file" || return 1
	done
	IFS=$old_ifs; set +f
}
check_file() { [ -f "$1" ] && [ -r "$1" ] || fail "attachment \"$1\" is no file that can be read"; }
attach() {
	name=$(basename -- "$1" | LC_ALL=C tr -c 'A-Za-z0-9._ \n-' _)
	printf -- '--%s\nContent-Type: application/octet-stream\nContent-Transfer-Encoding: base64\n' "$boundary"
	printf 'Content-Disposition: attachment; filename="%s"\n\n' "$name"
	base64 < "$1"
}
text() { printf 'Content-Type: %s; charset=UTF-8\nContent-Transfer-Encoding: base64\n\n' "$MAIL_CONTENT_TYPE"; printf %s "$MAIL_BODY" | base64; }
compose() {
	printf 'To: %s\nFrom: %s\n' "$MAIL_TO" "$MAIL_FROM"
	header Subject "$MAIL_SUBJECT"
	printf 'MIME-Version: 1.0\n'
	if [ -z "$MAIL_ATTACHMENTS" ]; then text; return; fi
	boundary=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
	printf 'Content-Type: multipart/mixed; boundary="%s"\n\n--%s\n' "$boundary" "$boundary"
	text
	each_file attach
	printf -- '--%s--\n' "$boundary"
}
for field in TO FROM SUBJECT CONTENT_TYPE; do eval "one_line $field \"\$MAIL_$field\""; done
[ -n "$MAIL_TO" ] || fail 'to must name somebody'
if [ -z "$MAIL_BODY" ] && [ "$MAIL_SEND_EMPTY" = no ]; then echo 'the body is empty: nothing was sent'; exit 0; fi
each_file check_file || exit 1
sendmail=$MAIL_BINARY
if [ -z "$sendmail" ]; then
	PATH=$PATH:/usr/sbin:/usr/lib
	sendmail=$(command -v sendmail) || fail 'there is no sendmail on this machine: install one, or name it in sendmail_binary'
fi
compose | "$sendmail" -i -t
`;

/** Sends mail by way of the machine's own mail system. */
export const mailActions = [
	defineCoreAction({
		name: "sendmail",
		description: "Send a mail with the sendmail command of this machine.",
		runner_type: "local-shell-cmd",
		parameters: {
			to: { type: "string", required: true, description: "Recipients, separated by commas." },
			subject: { type: "string", required: true, description: "Subject; one line." },
			body: { type: "string", required: true, description: "Text of the mail." },
			from: { type: "string", default: "svc", description: "Sender." },
			send_empty_body: { type: "boolean", default: true, description: "Whether a mail without text is sent at all." },
			content_type: { type: "string", default: "text/html", description: "Content type of the text." },
			attachments: { type: "string", default: "", description: "Absolute paths of files to attach, separated by commas." },
			sendmail_binary: { type: "string", default: "", description: "Path of the sendmail command, where it is not found by itself." },
			...fixedCommand,
			cmd: { default: script, immutable: true, description: "Fixed." },
			env: {
				default: {
					MAIL_TO: "{{ to }}",
					MAIL_SUBJECT: "{{ subject }}",
					MAIL_BODY: "{{ body }}",
					MAIL_FROM: "{{ from }}",
					MAIL_SEND_EMPTY: "{% if send_empty_body %}yes{% else %}no{% endif %}",
					MAIL_CONTENT_TYPE: "{{ content_type }}",
					MAIL_ATTACHMENTS: "{{ attachments }}",
					MAIL_BINARY: "{{ sendmail_binary }}",
				},
				immutable: true,
				description: "Made of the other parameters.",
			},
		},
	}),
];
