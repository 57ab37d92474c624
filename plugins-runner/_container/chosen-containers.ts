import { type JsonObject, type PluginContext, type RunContext, SvcError } from "../../core/contract/index.ts";
import type { ContainerOptions } from "./container-options.ts";
import type { ContainerEnd } from "./container-run.ts";
import { ContainerRuns, type ContainerWork } from "./container-runs.ts";

/** What runners of this machine say about containers. */
export interface ShellContainerOptions {
	/** Engine and limits of actions that say `svc_container`. Without it none may. */
	readonly containers?: ContainerOptions;
	/** If true, actions without `svc_container` are refused, so that nothing runs on this machine itself. Default false. */
	readonly container_required?: boolean;
}

/** Parameter of runners whose actions may run in a container. Reserved: it decides where the action runs. */
export const containerParameters = {
	svc_container: { type: "string", reserved: true, description: "Image in a container of which it runs, instead of on this machine." },
} as const;

type Context = RunContext & {
	readonly runnerParameters: {
		readonly svc_container?: string | null | undefined;
		readonly sudo?: boolean;
		readonly svc_pty?: boolean;
		readonly timeout?: number;
	};
};

/** Containers of a runner of this machine, for those of its actions that choose one. */
export class ChosenContainers {
	/** Whether nothing may run on this machine itself. */
	readonly isRequired: boolean;
	readonly #runs: ContainerRuns | undefined;
	/** Ids of live actions whose containers are to be removed. */
	readonly #ids = new Set<string>();

	constructor({ containers, container_required = false }: ShellContainerOptions) {
		this.#runs = containers === undefined ? undefined : new ContainerRuns(containers);
		this.isRequired = container_required;
	}

	check(): void {
		if (typeof this.isRequired !== "boolean") throw new SvcError("SVC_CONFIG", 'option "container_required" must be true or false');
		if (this.isRequired && this.#runs === undefined) throw new SvcError("SVC_CONFIG", 'option "container_required" needs "containers"');
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
		const { svc_container, sudo, svc_pty } = runnerParameters;
		if (!svc_container) {
			if (this.isRequired)
				throw new SvcError("SVC_INVALID", 'parameter "svc_container" must be given: this service runs actions in containers only');
			return false;
		}
		if (this.#runs === undefined)
			throw new SvcError("SVC_INVALID", 'parameter "svc_container": the configuration has no option "containers" for this runner');
		if (sudo || svc_pty) throw new SvcError("SVC_INVALID", 'parameters "sudo" and "svc_pty" cannot be given with "svc_container"');
		return true;
	}

	/** Whether the state is one of a run in a container. */
	isOf(state: JsonObject): boolean {
		return this.#runs !== undefined && state["container"] !== undefined;
	}

	runWork(context: Context, toWork: () => Promise<ContainerWork>): Promise<ContainerEnd> {
		this.#ids.add(context.liveaction_id);
		return this.#get().run(context, toWork);
	}

	/** Undefined: the container is another engine's. */
	recoverWork(context: Context, state: JsonObject, toWork: () => Promise<ContainerWork>): Promise<ContainerEnd | undefined> {
		this.#ids.add(context.liveaction_id);
		return this.#get().recover(context, state, toWork);
	}

	/** As `ContainerRuns.read`. */
	read(context: Context, path: string, most: number): ReturnType<ContainerRuns["read"]> {
		return this.#get().read(context, path, most);
	}

	async forget(run: Pick<RunContext, "liveaction_id">): Promise<void> {
		if (this.#ids.delete(run.liveaction_id)) await this.#runs?.forget(run);
	}

	#get(): ContainerRuns {
		if (this.#runs === undefined) throw new SvcError("SVC_RUNNER", "the runner has no containers");
		return this.#runs;
	}
}
