import type { ParameterDefinitions } from "../../../contract/index.ts";
import type { ParsedPack } from "../reading/read-pack-directory.ts";
import { notInstalled } from "../registration/not-installed.ts";
import { defineCoreAction } from "./define-core-action.ts";

/** Fixed values for parameters of the shell runner that callers of an action with a fixed command do not need. */
const fixedCommand: ParameterDefinitions = {
	sudo: { default: false, immutable: true },
	sudo_password: { default: null, immutable: true },
	kwarg_op: { immutable: true, default: "--" },
	cwd: { default: null, immutable: true },
	env: { default: null, immutable: true },
};

const command = { type: "string", required: true, description: "Command that the shell runs." } as const;

/** Actions that run a local shell command. */
const shellActions = [
	defineCoreAction({
		name: "local",
		description: "Run a shell command on the local machine.",
		runner_type: "local-shell-cmd",
		parameters: { cmd: command, sudo: { default: false, immutable: true } },
	}),
	defineCoreAction({
		name: "local_sudo",
		description: "Run a shell command on the local machine as root, through sudo.",
		runner_type: "local-shell-cmd",
		parameters: { cmd: command, sudo: { default: true, immutable: true } },
	}),
	defineMessageAction("echo", "stdout", ""),
	defineMessageAction("error", "stderr", " >&2"),
];

/**
 * Returns an action that writes a message. The message is quoted as one shell word, and a fixed format keeps `printf` from interpreting it.
 */
function defineMessageAction(name: string, target: string, redirection: string) {
	return defineCoreAction({
		name,
		description: `Write a message to ${target}.`,
		runner_type: "local-shell-cmd",
		parameters: {
			message: { type: "string", required: true, description: "Text to print, exactly as given." },
			cmd: { default: `printf '%s\\n' {{ message | shell_quote }}${redirection}`, immutable: true, description: "Derived from message." },
			...fixedCommand,
		},
	});
}

/** Shell function that prints `$1` random bytes as hexadecimal digits. */
const randomDigits = `digits() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \\n'; }`;

/** Hexadecimal digit whose first bits are 10, as the variant field of RFC 9562 requires. */
const variantDigit = `$(digits 1 | cut -c1 | tr 0123456789abcdef 89ab89ab89ab89ab)`;

const uuid4 = `echo "$(digits 4)-$(digits 2)-4$(digits 2 | cut -c2-4)-${variantDigit}$(digits 2 | cut -c2-4)-$(digits 6)"`;

// UUID version 1 counts 100 ns steps since 1582. The fraction of the second and the node are random, and the node is marked as random.
const uuid1 = [
	"steps=$(( ($(date +%s) + 12219292800) * 10000000 + 0x$(digits 4) % 10000000 ))",
	"node=$(digits 6)",
	`printf '%08x-%04x-1%03x-%s%s-%02x%s\\n' $((steps & 0xffffffff)) $((steps >> 32 & 0xffff)) $((steps >> 48 & 0xfff)) ` +
		`"${variantDigit}" "$(digits 2 | cut -c2-4)" $((0x$(printf %s "$node" | cut -c1-2) | 1)) "$(printf %s "$node" | cut -c3-12)"`,
].join("\n");

/** Actions that need no input data, such as a pause or an id generator. Their commands run in any POSIX shell. */
const generatorActions = [
	defineCoreAction({
		name: "pause",
		description: "Wait for a fixed or random number of seconds.",
		runner_type: "local-shell-cmd",
		parameters: {
			max_pause: { type: "integer", required: true, description: "Seconds to wait; the maximum if random is true." },
			random: { type: "boolean", default: false, description: "True to wait for a random number of seconds from 0 to max_pause." },
			cmd: {
				default: `{% set seconds = [max_pause, 0] | max %}sleep {% if random %}$(( 0x$(od -An -N4 -tx1 /dev/urandom | tr -d ' \\n') % {{ seconds + 1 }} )){% else %}{{ seconds }}{% endif %}`,
				immutable: true,
				description: "Derived from max_pause and random.",
			},
			timeout: {
				default: "{{ [max_pause, 0] | max + 60 }}",
				immutable: true,
				description: "Seconds after which the action is ended; must be longer than the pause.",
			},
			...fixedCommand,
		},
	}),
	defineCoreAction({
		name: "uuid",
		description: "Print a new UUID.",
		runner_type: "local-shell-cmd",
		parameters: {
			uuid_type: { type: "string", enum: ["uuid4", "uuid1"], default: "uuid4", description: "uuid4: random. uuid1: based on the time." },
			cmd: {
				default: `${randomDigits}\n{% if uuid_type == 'uuid1' %}\n${uuid1}\n{% else %}\n${uuid4}\n{% endif %}`,
				immutable: true,
				description: "Derived from uuid_type.",
			},
			...fixedCommand,
		},
	}),
];

/** Action that sends mail through the local mail system. The runner defines all its parameters. */
const mailActions = [
	defineCoreAction({
		name: "sendmail",
		description: "Send an email with the sendmail command of the local machine.",
		runner_type: "sendmail",
		parameters: {},
	}),
];

const remote = {
	cmd: { required: true, description: "Command that the shell of each host runs." },
	hosts: { required: true, description: "Hosts, separated by commas." },
} as const;

/** Actions that access other machines. */
const networkActions = [
	defineCoreAction({
		name: "remote",
		description: "Run a shell command on remote hosts.",
		runner_type: "remote-shell-cmd",
		parameters: { ...remote, sudo: { default: false, immutable: true } },
	}),
	defineCoreAction({
		name: "remote_sudo",
		description: "Run a shell command on remote hosts as root, through sudo.",
		runner_type: "remote-shell-cmd",
		parameters: { ...remote, sudo: { default: true, immutable: true } },
	}),
	defineCoreAction({
		name: "http",
		description: "Send an HTTP request.",
		runner_type: "http-request",
		parameters: {
			method: {
				type: "string",
				enum: ["HEAD", "GET", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH", "PURGE"],
				description: "Method. Default: POST with a body or a file, otherwise GET.",
			},
			params: { type: "object", description: "Query parameters, which are added to the URL." },
			body: { type: "string", description: "Body of the request." },
			auth: { type: "object", secret: true, description: "Credentials: username and password, or token." },
			timeout: { type: "number", default: 60, description: "Maximum seconds until the response is complete." },
			file_name: { type: "string", description: "Name of the file in the request." },
			file_content: { type: "string", description: "Text to send as a file in a form." },
			svc_file_path: { type: "string", description: "Path of a file to send in a form." },
			file_content_type: { type: "string", description: "Content type of the file." },
		},
	}),
	defineCoreAction({
		name: "inject_trigger",
		description: "Dispatch a trigger with a payload.",
		runner_type: "inject-trigger",
		parameters: {
			trigger: { type: "string", description: "Ref of the trigger, or of a trigger type without parameters." },
			trigger_name: { type: "string", description: "Old name of trigger; give one of the two." },
			payload: { type: "object", description: "Payload of the trigger instance." },
			trace_tag: { type: "string", description: "Trace tag of the new trace." },
		},
	}),
];

/** Actions that interact with people. */
const questionActions = [
	defineCoreAction({
		name: "ask",
		description: "Ask a question and wait for the answer.",
		runner_type: "inquirer",
		parameters: {},
	}),
	defineCoreAction({
		name: "announcement",
		description: "Publish a message on the general event stream.",
		runner_type: "announcement",
		parameters: {
			message: { type: "object", required: true, description: "Message to publish." },
			experimental: { default: true, immutable: true, description: "Always true." },
		},
	}),
];

const manifest = { ref: "core", name: "core", description: "Basic actions of every service.", version: "1.0.0", author: "svc" };

/** Built-in pack of every service. Each action is an entry in one of the lists, and is available if its runner type is configured. */
export const corePack: ParsedPack = {
	pack: { ...manifest, path: null, metadata: manifest, ...notInstalled },
	actions: [
		defineCoreAction({ name: "noop", description: "Do nothing and succeed.", runner_type: "noop", parameters: {} }),
		...shellActions,
		...generatorActions,
		...questionActions,
		...networkActions,
		...mailActions,
	],
	problems: [],
};
