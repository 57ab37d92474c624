import { dirname, relative } from "node:path";
import { type JsonObject, type PluginContext, type RunContext, type RunResult, SvcError } from "../../core/contract/index.ts";
import { toEnvironment } from "../_shell/index.ts";
import { toArchive } from "./archive.ts";
import type { ContainerOptions } from "./container-options.ts";
import { ContainerRuns, type ContainerWork, toContainerResult } from "./container-runs.ts";
import { toPackEntries } from "./pack-archive.ts";

/** What runners of this machine say about containers. */
export interface ShellContainerOptions {
	/** Engine and limits of actions that say `container`. Without it none may. */
	readonly containers?: ContainerOptions;
	/** Whether actions that do not say `container` are refused, so that nothing runs on this machine itself. Default false. */
	readonly container_required?: boolean;
}

/** Parameter of runners whose actions may run in a container. Reserved: it decides where the action runs. */
export const containerParameters = {
	container: { type: "string", reserved: true, description: "Image in a container of which it runs, instead of on this machine." },
} as const;

type Context = RunContext & {
	readonly runnerParameters: {
		readonly container?: string | null | undefined;
		readonly sudo?: boolean;
		readonly pty?: boolean;
		readonly cwd?: string | null | undefined;
		readonly env?: JsonObject | null | undefined;
		readonly timeout?: number;
	};
};

/** A command line, or a script of a pack with its arguments. */
export type ShellProgram = { readonly environment: Readonly<Record<string, string>> } & (
	| { readonly cmd: string }
	| { readonly entryPoint: string; readonly packDirectory: string | undefined; readonly args: readonly string[] }
);

/** Where the run's files lie in its container. */
const directory = "/svc";

/** Commands and scripts of a runner of this machine that run in containers instead. */
export class ShellContainers {
	readonly #runs: ContainerRuns | undefined;
	readonly #isRequired: boolean;
	/** Ids of live actions whose containers are to be removed. */
	readonly #ids = new Set<string>();

	constructor({ containers, container_required = false }: ShellContainerOptions) {
		this.#runs = containers === undefined ? undefined : new ContainerRuns(containers);
		this.#isRequired = container_required;
	}

	check(): void {
		if (typeof this.#isRequired !== "boolean") throw new SvcError("SVC_CONFIG", 'option "container_required" must be true or false');
		if (this.#isRequired && this.#runs === undefined) throw new SvcError("SVC_CONFIG", 'option "container_required" needs "containers"');
		this.#runs?.check();
	}

	start(context: PluginContext): void {
		this.check();
		this.#runs?.start(context);
	}

	async stop(): Promise<void> {
		await this.#runs?.stop();
	}

	/** Whether the action runs in a container. Throws where it may not, or must. */
	isFor({ runnerParameters }: Context): boolean {
		const { container, sudo, pty } = runnerParameters;
		if (!container) {
			if (this.#isRequired)
				throw new SvcError("SVC_INVALID", 'parameter "container" must be given: this service runs actions in containers only');
			return false;
		}
		if (this.#runs === undefined)
			throw new SvcError("SVC_INVALID", 'parameter "container": the configuration has no option "containers" for this runner');
		if (sudo || pty) throw new SvcError("SVC_INVALID", 'parameters "sudo" and "pty" cannot be given with "container"');
		return true;
	}

	async run(context: Context, toProgram: () => Promise<ShellProgram>): Promise<RunResult> {
		this.#ids.add(context.liveaction_id);
		const end = await this.#get().run(context, async () => toWork(context, await toProgram()));
		return toContainerResult(context, end);
	}

	/** Whether the state is one of a run in a container. */
	isOf(state: JsonObject): boolean {
		return this.#runs !== undefined && state["container"] !== undefined;
	}

	async recover(context: Context, state: JsonObject, toProgram: () => Promise<ShellProgram>): Promise<RunResult | undefined> {
		this.#ids.add(context.liveaction_id);
		const end = await this.#get().recover(context, state, async () => toWork(context, await toProgram()));
		return end === undefined ? undefined : toContainerResult(context, end);
	}

	async forget(run: Pick<RunContext, "liveaction_id">): Promise<void> {
		if (this.#ids.delete(run.liveaction_id)) await this.#runs?.forget(run);
	}

	#get(): ContainerRuns {
		if (this.#runs === undefined) throw new SvcError("SVC_RUNNER", "the runner has no containers");
		return this.#runs;
	}
}

/** Everything lies in files of the container: what stands in its description can be read by whoever may look at containers. */
async function toWork({ runnerParameters, environment }: Context, program: ShellProgram): Promise<ContainerWork> {
	const variables = { ...toEnvironment(runnerParameters.env), ...program.environment, ...environment };
	const files = [{ path: "environment", mode: 0o444, content: Buffer.from(toShellVariables(variables)) }];
	const begin = `. ${directory}/environment; cd "$0" || exit; `;
	const run = { image: String(runnerParameters.container), environment: {}, directory };
	if ("cmd" in program) {
		const archive = toArchive([...files, { path: "command", mode: 0o444, content: Buffer.from(program.cmd) }]);
		const entrypoint = ["/bin/sh", "-c", `${begin}exec /bin/sh ${directory}/command`, runnerParameters.cwd || "/"];
		return { program: { ...run, entrypoint, command: [] }, limits: {}, archive };
	}
	const pack = program.packDirectory ?? dirname(program.entryPoint);
	const script = `${directory}/pack/${relative(pack, program.entryPoint)}`;
	const archive = toArchive([...files, ...(await toPackEntries(pack, "pack"))]);
	const entrypoint = ["/bin/sh", "-c", `${begin}exec "$@"`, runnerParameters.cwd || `${directory}/pack`];
	return { program: { ...run, entrypoint, command: [script, ...program.args] }, limits: {}, archive };
}

/** Lines that a shell reads. */
function toShellVariables(variables: Readonly<Record<string, string>>): string {
	return Object.entries(variables)
		.map(([name, value]) => {
			if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
				throw new SvcError("SVC_INVALID", `parameter "env": a container cannot have the variable "${name}"`);
			return `export ${name}='${value.replaceAll("'", "'\\''")}'\n`;
		})
		.join("");
}
