import { defineRunner, SvcError } from "../../core/contract/index.ts";
import { assertNoNul } from "../_shell/index.ts";
import { createRemoteRuns, remoteParameterSchema } from "../_ssh/index.ts";

const parameters = {
	cmd: { type: "string", opensReserved: true, description: "Command line that the shell runs." },
	...remoteParameterSchema,
} as const;

/** Runs a command line on remote hosts over SSH. */
export const remoteCommand = defineRunner("remote-shell-cmd", () => {
	const fleet = createRemoteRuns();
	return {
		description: "Runs a command on remote hosts.",
		parameters,
		capabilities: { streaming: true, cancellation: true },
		entryPoint: "forbidden",
		start: fleet.start,
		stop: fleet.stop,
		async run(context) {
			const { cmd } = context.runnerParameters;
			if (!cmd) throw new SvcError("SVC_INVALID", 'parameter "cmd" is required');
			assertNoNul("cmd", cmd);
			return fleet.run(context, { command: { text: cmd }, environment: { SVC_ACTION_DEBUG: "False" } });
		},
	};
});
