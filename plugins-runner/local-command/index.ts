import { defineRunner, SvcError } from "../../core/contract/index.ts";
import { assertNoNul, createShellAccess, type ShellOptions, shellParameters } from "../_process/index.ts";

const parameters = {
	cmd: { type: "string", description: "Command line for the shell." },
	...shellParameters,
} as const;

/** Runs a command line with the shell of this machine. */
export const localCommand = defineRunner("local-shell-cmd", (options: ShellOptions) => {
	const access = createShellAccess("local-shell-cmd", options);
	return {
		description: "Runs a command with the local shell.",
		parameters,
		capabilities: { streaming: true, cancellation: true, recovery: options.survive_restart === true },
		entryPoint: "forbidden",
		check: access.check,
		start: access.start,
		stop: access.stop,
		async run(context) {
			const { cmd } = context.runnerParameters;
			if (!cmd) throw new SvcError("SVC_INVALID", 'parameter "cmd" must be given');
			assertNoNul("cmd", cmd);
			return access.run(context, {
				file: "/bin/sh",
				args: ["-c", cmd],
				underSudo: ["bash", "-c", cmd],
				cwd: process.cwd(),
				environment: { SVC_ACTION_DEBUG: "False" },
			});
		},
		recover: (context, state) => access.recover(context, state),
		afterRun: access.afterRun,
	};
});
