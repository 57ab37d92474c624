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
			"Hosts, separated by commas or lines, or a list; each `host`, `host:port` or `[address]:port`, with `user@` in front where needed.",
		reservedBy: { parameter: "username", schema: { anyOf: textOrList(withoutUser) } },
	},
	username: { type: "string", reserved: true, description: "User on the hosts." },
	password: { type: "string", secret: true, reserved: true, description: "Password of the user; takes precedence over keys." },
	private_key: {
		type: "string",
		secret: true,
		reserved: true,
		description: "Private key: its text, or the path of its file where the service runs.",
	},
	passphrase: { type: "string", secret: true, reserved: true, description: "Passphrase of the private key." },
	port: { type: "integer", reserved: true, description: "Port of the hosts that are named without one." },
	bastion_host: {
		type: "string",
		reserved: true,
		description: "Host to go through, or several separated by commas, with the same credentials; each may have `user@` in front.",
	},
	parallel: { type: "boolean", default: true, description: "Whether hosts work side by side; otherwise one after the other." },
	cwd: { type: "string", reserved: true, description: "Working directory on the hosts." },
	dir: { type: "string", reserved: true, description: "Directory on the hosts in which scripts are put." },
	env: { type: "object", description: "Environment variables for the process." },
	kwarg_op: { type: "string", default: "--", reserved: true, description: "Operator in front of the names of named arguments." },
	sudo: { type: "boolean", default: false, reserved: true, description: "Whether to run as root through sudo." },
	sudo_password: { type: "string", secret: true, reserved: true, description: "Password for sudo; without it sudo must not ask." },
	timeout: { type: "integer", default: 60, description: "Seconds after which the action is ended." },
} as const satisfies ParameterDefinitions;
