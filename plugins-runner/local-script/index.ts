import { access as checkAccess, chmod, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { defineRunner, SvcError } from "../../core/contract/index.ts";
import { containerParameters, type ShellContainerOptions, ShellContainers } from "../_container/index.ts";
import { ContentVersions, contentParameters } from "../_content/index.ts";
import {
	createScriptInput,
	createShellAccess,
	hasLastingRun,
	type SecretArgumentOptions,
	type ShellOptions,
	shellParameters,
} from "../_process/index.ts";

const parameters = {
	...shellParameters,
	...contentParameters,
	...containerParameters,
	debug: { type: "boolean", default: false, description: "Whether the script should tell more; it gets `SVC_ACTION_DEBUG`." },
} as const;

export interface LocalScriptOptions extends ShellOptions, SecretArgumentOptions, ShellContainerOptions {}

/** Runs a script of a pack on this machine. Its first line names the interpreter; without one it is the shell. */
export const localScript = defineRunner("local-shell-script", (options: LocalScriptOptions) => {
	const access = createShellAccess("local-shell-script", options);
	const containers = new ShellContainers(options);
	const versions = new ContentVersions("local-shell-script");
	return {
		description: "Runs a script of a pack on the local machine.",
		parameters,
		capabilities: { streaming: true, cancellation: true, recovery: options.survive_restart === true || options.containers !== undefined },
		entryPoint: "required",
		async check() {
			containers.check();
			await access.check();
		},
		async start(context) {
			containers.start(context);
			await access.start(context);
			await versions.start(context, (liveactionId) => hasLastingRun(context, "local-shell-script", liveactionId));
		},
		async stop() {
			await containers.stop();
			await access.stop();
		},
		run: (context) =>
			versions.use(context, async ({ entryPoint, packDirectory }) => {
				await prepareScript(entryPoint);
				const { args, environment: secrets } = createScriptInput(context, options);
				const environment = { ...secrets, SVC_ACTION_DEBUG: context.runnerParameters.debug ? "True" : "False" };
				if (containers.isFor(context)) return containers.run(context, async () => ({ entryPoint, packDirectory, args, environment }));
				return access.run(context, {
					file: entryPoint,
					args,
					underSudo: [entryPoint, ...args],
					cwd: packDirectory ?? dirname(entryPoint),
					environment,
				});
			}),
		recover: (context, state) =>
			versions.recover(context, () => {
				if (!containers.isOf(state)) return access.recover(context, state);
				// What it runs is in the container by now, unless there was none yet: then the run is given up.
				return containers.recover(context, { ...state, phase: "starting" }, () => Promise.reject(lostFiles));
			}),
		async afterRun(run) {
			await containers.forget(run);
			await access.afterRun(run);
		},
	};
});

const lostFiles = new SvcError("SVC_RUNNER", "the service was killed before the container had its files");

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
