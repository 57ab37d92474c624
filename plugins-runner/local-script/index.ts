import { access as checkAccess, chmod, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { defineRunner, SvcError } from "../../core/contract/index.ts";
import {
	assertNoNul,
	createScriptArguments,
	createShellAccess,
	type ShellOptions,
	separateSecretArguments,
	shellParameters,
} from "../_process/index.ts";

const parameters = {
	...shellParameters,
	debug: { type: "boolean", default: false, description: "Whether the script should tell more; it gets `SVC_ACTION_DEBUG`." },
} as const;

export interface LocalScriptOptions extends ShellOptions {
	/**
	 * How secret parameters reach a script. `environment`: as variables `SVC_ARG_<NAME>`, which only its own user can read.
	 * `command_line`: as arguments like all others, which every user of the machine can read. Default `environment`.
	 */
	readonly secret_arguments?: "environment" | "command_line";
}

/** Runs a script of a pack on this machine. Its first line names the interpreter; without one it is the shell. */
export const localScript = defineRunner("local-shell-script", (options: LocalScriptOptions) => {
	const access = createShellAccess("local-shell-script", options);
	return {
		description: "Runs a script of a pack on the local machine.",
		parameters,
		capabilities: { streaming: true, cancellation: true, recovery: options.survive_restart === true },
		entryPoint: "required",
		start: access.start,
		stop: access.stop,
		async run(context) {
			const { entryPoint, actionParameters, actionSchema, packDirectory, runnerParameters } = context;
			await prepareScript(entryPoint);
			const { values, environment } =
				options.secret_arguments === "command_line"
					? { values: actionParameters, environment: {} }
					: separateSecretArguments(actionParameters, actionSchema);
			for (const text of Object.values(environment)) assertNoNul("arguments", text);
			const args = createScriptArguments(values, actionSchema, runnerParameters.kwarg_op);
			return access.run(context, {
				file: entryPoint,
				args,
				underSudo: [entryPoint, ...args],
				cwd: packDirectory ?? dirname(entryPoint),
				environment: { ...environment, SVC_ACTION_DEBUG: runnerParameters.debug ? "True" : "False" },
			});
		},
		recover: (context, state) => access.recover(context, state),
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
