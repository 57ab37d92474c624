import type { ParameterDefinitions } from "../../core/contract/index.ts";

/** Parameters of every runner that starts a process on this machine. Those that could change what a fixed script does are reserved. */
export const shellParameters = {
	cwd: { type: "string", reserved: true, description: "Working directory." },
	env: { type: "object", description: "Environment variables for the process." },
	kwarg_op: { type: "string", default: "--", reserved: true, description: "Operator in front of the names of named arguments." },
	sudo: { type: "boolean", default: false, reserved: true, description: "Whether to run as root through sudo." },
	sudo_password: { type: "string", secret: true, reserved: true, description: "Password for sudo; without it sudo must not ask." },
	timeout: { type: "integer", default: 60, description: "Seconds after which the action is ended." },
	svc_pty: { type: "boolean", default: false, description: "Whether stdout is a pseudo-terminal, so that programs print line by line." },
} as const satisfies ParameterDefinitions;
