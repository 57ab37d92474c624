import { access as checkAccess, chmod, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { defineRunner, type RunContext, SvcError } from "../../core/contract/index.ts";
import { ContainerShell, containerParameters, type ShellContainerOptions, type ShellProgram } from "../_container/index.ts";
import { contentParameters, PackRevisions } from "../_content/index.ts";
import {
	createScriptInput,
	createShellRuns,
	hasLastingRun,
	type SecretArgumentOptions,
	type ShellOptions,
	shellParameters,
} from "../_process/index.ts";

const parameters = {
	...shellParameters,
	...contentParameters,
	...containerParameters,
	debug: { type: "boolean", default: false, description: "True to request verbose output; sets `SVC_ACTION_DEBUG`." },
} as const;

export interface LocalScriptOptions extends ShellOptions, SecretArgumentOptions, ShellContainerOptions {}

/** Runs a script of a pack on this machine. Its first line sets the interpreter; the default is the shell. */
export const localScript = defineRunner("local-shell-script", (options: LocalScriptOptions) => {
	const access = createShellRuns("local-shell-script", options);
	const containers = new ContainerShell(options);
	const versions = new PackRevisions("local-shell-script");
	const toProgram = async (context: RunContext<typeof parameters>): Promise<ShellProgram> => {
		const { entryPoint, packDirectory } = await versions.place(context);
		await prepareScript(entryPoint);
		const { args, environment } = createScriptInput(context, options);
		return { entryPoint, packDirectory, args, environment: { ...environment, ...toDebug(context) } };
	};
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
		async run(context) {
			if (containers.isFor(context)) return versions.during(context, () => containers.run(context, () => toProgram(context)));
			return versions.use(context, async ({ entryPoint, packDirectory }) => {
				await prepareScript(entryPoint);
				const { args, environment } = createScriptInput(context, options);
				return access.run(context, {
					file: entryPoint,
					args,
					sudoArguments: [entryPoint, ...args],
					cwd: packDirectory ?? dirname(entryPoint),
					environment: { ...environment, ...toDebug(context) },
				});
			});
		},
		recover: (context, state) =>
			versions.during(context, async () =>
				containers.isOf(state) ? containers.recover(context, state, () => toProgram(context)) : access.recover(context, state),
			),
		async afterRun(run) {
			await containers.forget(run);
			await access.afterRun(run);
		},
	};
});

const toDebug = ({ runnerParameters }: RunContext<typeof parameters>) => ({ SVC_ACTION_DEBUG: runnerParameters.debug ? "True" : "False" });

async function prepareScript(path: string): Promise<void> {
	if (path === "") throw new SvcError("SVC_RUNNER", "entry_point: required, the file of the script");
	const file = await stat(path).catch(() => undefined);
	if (file === undefined || !file.isFile()) throw new SvcError("SVC_RUNNER", `entry point "${path}" does not exist or is not a file`);
	const executable = await checkAccess(path, constants.X_OK).then(
		() => true,
		() => false,
	);
	// This fails for a read-only file system or a file of another user. The start of the script then reports the error.
	if (!executable) await chmod(path, file.mode | 0o111).catch(() => {});
}
