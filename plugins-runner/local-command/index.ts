import { defineRunner, SvcError } from "../../core/contract/index.ts";
import { ContainerShell, containerParameters, type ShellContainerOptions } from "../_container/index.ts";
import { assertNoNul, createShellRuns, type ShellOptions, shellParameters } from "../_process/index.ts";

const parameters = {
	cmd: { type: "string", opensReserved: true, description: "Command line that the shell runs." },
	...shellParameters,
	...containerParameters,
} as const;

export interface LocalCommandOptions extends ShellOptions, ShellContainerOptions {}

/** Runs a command line with the shell of this machine. */
export const localCommand = defineRunner("local-shell-cmd", (options: LocalCommandOptions) => {
	const containers = new ContainerShell(options);
	const access = createShellRuns("local-shell-cmd", options);
	return {
		description: "Runs a command with the local shell.",
		parameters,
		capabilities: { streaming: true, cancellation: true, recovery: options.survive_restart === true || options.containers !== undefined },
		entryPoint: "forbidden",
		async check() {
			containers.check();
			await access.check();
		},
		async start(context) {
			containers.start(context);
			await access.start(context);
		},
		async stop() {
			await containers.stop();
			await access.stop();
		},
		async run(context) {
			const cmd = toCommand(context.runnerParameters);
			if (containers.isFor(context)) return containers.run(context, async () => ({ cmd, environment: { SVC_ACTION_DEBUG: "False" } }));
			return access.run(context, {
				file: "/bin/sh",
				args: ["-c", cmd],
				sudoArguments: ["bash", "-c", cmd],
				cwd: process.cwd(),
				environment: { SVC_ACTION_DEBUG: "False" },
			});
		},
		async recover(context, state) {
			if (!containers.isOf(state)) return access.recover(context, state);
			const environment = { SVC_ACTION_DEBUG: "False" };
			return containers.recover(context, state, async () => ({ cmd: toCommand(context.runnerParameters), environment }));
		},
		async afterRun(run) {
			await containers.forget(run);
			await access.afterRun(run);
		},
	};
});

function toCommand({ cmd }: { readonly cmd?: string | null | undefined }): string {
	if (!cmd) throw new SvcError("SVC_INVALID", 'parameter "cmd" is required');
	assertNoNul("cmd", cmd);
	return cmd;
}
