import type { ParameterSchema } from "../../../contract/index.ts";
import { defineCoreAction } from "./define-core-action.ts";

/** Parameters of the shell runner that make no sense for a command which is fixed. */
export const fixedCommand: ParameterSchema = {
	sudo: { default: false, immutable: true },
	sudo_password: { default: null, immutable: true },
	kwarg_op: { immutable: true, default: "--" },
	cwd: { default: null, immutable: true },
	env: { default: null, immutable: true },
};

const command = { type: "string", required: true, description: "Command for the shell." } as const;

/** Actions that hand something to the shell of this machine. */
export const shellActions = [
	defineCoreAction({
		name: "local",
		description: "Run a shell command on this machine.",
		runner_type: "local-shell-cmd",
		parameters: { cmd: command, sudo: { default: false, immutable: true } },
	}),
	defineCoreAction({
		name: "local_sudo",
		description: "Run a shell command on this machine as root, through sudo.",
		runner_type: "local-shell-cmd",
		parameters: { cmd: command, sudo: { default: true, immutable: true } },
	}),
	// The message is quoted as one word of the shell, and `printf` with a fixed format takes nothing in it for an option or an escape.
	defineCoreAction({
		name: "echo",
		description: "Write a message to stdout.",
		runner_type: "local-shell-cmd",
		parameters: {
			message: { type: "string", required: true, description: "What to write; taken as it is, whatever it holds." },
			cmd: { default: "printf '%s\\n' {{ message | shell_quote }}", immutable: true, description: "Made of the message." },
			...fixedCommand,
		},
	}),
	defineCoreAction({
		name: "error",
		description: "Write a message to stderr.",
		runner_type: "local-shell-cmd",
		parameters: {
			message: { type: "string", required: true, description: "What to write; taken as it is, whatever it holds." },
			cmd: { default: "printf '%s\\n' {{ message | shell_quote }} >&2", immutable: true, description: "Made of the message." },
			...fixedCommand,
		},
	}),
];
