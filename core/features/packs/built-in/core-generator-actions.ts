import { fixedCommand } from "./core-shell-actions.ts";
import { defineCoreAction } from "./define-core-action.ts";

/** `$1` random bytes as hexadecimal digits. */
const randomDigits = `digits() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \\n'; }`;

/** A digit that begins with the bits 10, as the variant of RFC 9562 wants it. */
const variantDigit = `$(digits 1 | cut -c1 | tr 0123456789abcdef 89ab89ab89ab89ab)`;

const uuid4 = `echo "$(digits 4)-$(digits 2)-4$(digits 2 | cut -c2-4)-${variantDigit}$(digits 2 | cut -c2-4)-$(digits 6)"`;

// Version 1 counts steps of 100 ns since 1582; the part below a second and the node are random, the node marked as such.
const uuid1 = [
	"steps=$(( ($(date +%s) + 12219292800) * 10000000 + 0x$(digits 4) % 10000000 ))",
	"node=$(digits 6)",
	`printf '%08x-%04x-1%03x-%s%s-%02x%s\\n' $((steps & 0xffffffff)) $((steps >> 32 & 0xffff)) $((steps >> 48 & 0xfff)) ` +
		`"${variantDigit}" "$(digits 2 | cut -c2-4)" $((0x$(printf %s "$node" | cut -c1-2) | 1)) "$(printf %s "$node" | cut -c3-12)"`,
].join("\n");

/** Actions that make something of nothing: a pause, an id. Written for any POSIX shell. */
export const generatorActions = [
	defineCoreAction({
		name: "pause",
		description: "Wait for a number of seconds, or for a random time of at most that.",
		runner_type: "local-shell-cmd",
		parameters: {
			max_pause: { type: "integer", required: true, description: "Seconds to wait, or the most to wait when random." },
			random: { type: "boolean", default: false, description: "Whether to wait for a random number of seconds from 0 to max_pause." },
			cmd: {
				default: `{% set seconds = [max_pause, 0] | max %}sleep {% if random %}$(( 0x$(od -An -N4 -tx1 /dev/urandom | tr -d ' \\n') % {{ seconds + 1 }} )){% else %}{{ seconds }}{% endif %}`,
				immutable: true,
				description: "Made of max_pause and random.",
			},
			timeout: { default: "{{ [max_pause, 0] | max + 60 }}", immutable: true, description: "Longer than the pause." },
			...fixedCommand,
		},
	}),
	defineCoreAction({
		name: "uuid",
		description: "Write a new UUID to stdout.",
		runner_type: "local-shell-cmd",
		parameters: {
			uuid_type: { type: "string", enum: ["uuid4", "uuid1"], default: "uuid4", description: "uuid4 is random, uuid1 is made of the time." },
			cmd: {
				default: `${randomDigits}\n{% if uuid_type == 'uuid1' %}\n${uuid1}\n{% else %}\n${uuid4}\n{% endif %}`,
				immutable: true,
				description: "Made of uuid_type.",
			},
			...fixedCommand,
		},
	}),
];
