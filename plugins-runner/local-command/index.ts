import { defineRunner, SvcError } from "../../core/contract/index.ts";
import { assertNoNul, createLauncherAccess, runShell, shellParameters } from "../_process/index.ts";

const parameters = {
	cmd: { type: "string", description: "Command line for the shell." },
	...shellParameters,
} as const;

/** Runs a command line with the shell of this machine. */
export const localCommand = defineRunner("local-shell-cmd", () => {
	const access = createLauncherAccess();
	return {
		description: "Runs a command with the local shell.",
		parameters,
		capabilities: { streaming: true, cancellation: true },
		entryPoint: "forbidden",
		start: access.start,
		stop: access.stop,
		async run(context) {
			const { cmd } = context.runnerParameters;
			if (!cmd) throw new SvcError("SVC_INVALID", 'parameter "cmd" must be given');
			assertNoNul("cmd", cmd);
			return runShell(access.launcher, context, {
				file: "/bin/sh",
				args: ["-c", cmd],
				underSudo: ["bash", "-c", cmd],
				cwd: process.cwd(),
				environment: { SVC_ACTION_DEBUG: "False" },
			});
		},
	};
});
