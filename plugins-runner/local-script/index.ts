import { access as checkAccess, chmod, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { defineRunner, SvcError } from "../../core/contract/index.ts";
import { createLauncherAccess, createScriptArguments, runShell, shellParameters } from "../_process/index.ts";

const parameters = {
	...shellParameters,
	debug: { type: "boolean", default: false, description: "Whether the script should tell more; it gets `SVC_ACTION_DEBUG`." },
} as const;

/** Runs a script of a pack on this machine. Its first line names the interpreter; without one it is the shell. */
export const localScript = defineRunner("local-shell-script", () => {
	const access = createLauncherAccess();
	return {
		description: "Runs a script of a pack on the local machine.",
		parameters,
		capabilities: { streaming: true, cancellation: true },
		entryPoint: "required",
		start: access.start,
		stop: access.stop,
		async run(context) {
			const { entryPoint, actionParameters, actionSchema, packDirectory, runnerParameters } = context;
			await prepareScript(entryPoint);
			const args = createScriptArguments(actionParameters, actionSchema, runnerParameters.kwarg_op);
			return runShell(access.launcher, context, {
				file: entryPoint,
				args,
				underSudo: [entryPoint, ...args],
				cwd: packDirectory ?? dirname(entryPoint),
				environment: { SVC_ACTION_DEBUG: runnerParameters.debug ? "True" : "False" },
			});
		},
	};
});

async function prepareScript(path: string): Promise<void> {
	if (path === "") throw new SvcError("SVC_RUNNER", "the action has no entry point; a script action must name a file");
	const file = await stat(path).catch(() => undefined);
	if (file === undefined || !file.isFile()) throw new SvcError("SVC_RUNNER", `entry point "${path}" does not exist or is not a file`);
	const executable = await checkAccess(path, constants.X_OK).then(
		() => true,
		() => false,
	);
	// A read-only file system, or a file of somebody else: the start then says what is wrong.
	if (!executable) await chmod(path, file.mode | 0o111).catch(() => {});
}
