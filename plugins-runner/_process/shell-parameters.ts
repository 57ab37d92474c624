import type { ParameterDefinitions } from "../../core/contract/index.ts";

/** Parameters of every runner that starts a process on this machine. Those that could change what a fixed script does are reserved. */
export const shellParameters = {
	cwd: { type: "string", reserved: true, description: "Working directory." },
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
	svc_pty: {
		type: "boolean",
		default: false,
		description: "True to use a pseudo-terminal for stdout, so that programs print line by line.",
	},
} as const satisfies ParameterDefinitions;
