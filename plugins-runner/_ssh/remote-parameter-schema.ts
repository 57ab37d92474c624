import type { ParameterDefinition, ParameterDefinitions } from "../../core/contract/index.ts";

/** Hosts without `user@`. `username` applies to them, so that they are allowed where `username` is reserved. */
const withoutUser: ParameterDefinition = { type: "string", pattern: "^[^@]*$" };
const text: ParameterDefinition = { type: "string" };
const textOrList = (entry: ParameterDefinition) => [entry, { type: "array", items: entry, minItems: 1 }] as const;

/** Parameters of all runners for remote hosts. Parameters that could change a fixed script or its user are reserved. */
export const remoteParameterSchema = {
	hosts: {
		anyOf: textOrList(text),
		required: true,
		description:
			"Hosts, separated by commas or lines, or a list. Each is `host`, `host:port` or `[address]:port`, with an optional prefix `user@`.",
		reservedBy: { parameter: "username", schema: { anyOf: textOrList(withoutUser) } },
	},
	username: { type: "string", reserved: true, description: "User on the hosts." },
	password: { type: "string", secret: true, reserved: true, description: "Password of the user; takes precedence over keys." },
	private_key: {
		type: "string",
		secret: true,
		reserved: true,
		description: "Private key, or the path of its file on the node that runs the action.",
	},
	passphrase: { type: "string", secret: true, reserved: true, description: "Passphrase of the private key." },
	port: { type: "integer", reserved: true, description: "Default port of the hosts." },
	bastion_host: {
		type: "string",
		reserved: true,
		description: "Jump host, or several separated by commas, with the same credentials; each may have a prefix `user@`.",
	},
	parallel: { type: "boolean", default: true, description: "True to run on the hosts concurrently, false to run on one after the other." },
	cwd: { type: "string", reserved: true, description: "Working directory on the hosts." },
	dir: { type: "string", reserved: true, description: "Directory on the hosts to which scripts are copied." },
	env: { type: "object", description: "Environment variables for the process." },
	kwarg_op: { type: "string", default: "--", reserved: true, description: "Prefix of the names of named arguments." },
	sudo: { type: "boolean", default: false, reserved: true, description: "True to run as root through sudo." },
	sudo_password: {
		type: "string",
		secret: true,
		reserved: true,
		description: "Password for sudo. Without it, sudo must not require a password.",
	},
	timeout: { type: "integer", default: 60, description: "Seconds after which the action is ended." },
} as const satisfies ParameterDefinitions;
