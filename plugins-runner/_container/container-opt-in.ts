import { type JsonObject, type PluginContext, type RunContext, SvcError } from "../../core/contract/index.ts";
import type { ContainerOptions } from "./container-options.ts";
import type { ContainerEnd } from "./container-run.ts";
import { ContainerRuns, type ContainerWork } from "./container-runs.ts";

/** Container options of the runners that execute actions on this machine. */
export interface ShellContainerOptions {
	/** Engine and limits for actions with the parameter `svc_container`. If absent, such actions are refused. */
	readonly containers?: ContainerOptions;
	/** If true, actions without `svc_container` are refused, so that no action runs on this machine itself. Default false. */
	readonly container_required?: boolean;
}

/** Parameter of runners whose actions may run in a container. It is reserved because it determines where the action runs. */
export const containerParameters = {
	svc_container: {
		type: "string",
		reserved: true,
		description: "Image of the container in which the action runs. Default: it runs on the local machine.",
	},
} as const;

type Context = RunContext & {
	readonly runnerParameters: {
		readonly svc_container?: string | null | undefined;
		readonly sudo?: boolean;
		readonly svc_pty?: boolean;
		readonly timeout?: number;
	};
};

/** Runs actions of a local runner in containers if they have the parameter `svc_container`. */
export class OptInContainers {
	/** True if no action may run on this machine itself. */
	readonly isRequired: boolean;
	readonly #runs: ContainerRuns | undefined;
	/** Ids of live actions whose containers must still be removed. */
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

	/** Returns true if the action runs in a container. Throws `SVC_INVALID` if a container is required and missing, or given and not allowed. */
	isFor({ runnerParameters }: Context): boolean {
		const { svc_container, sudo, svc_pty } = runnerParameters;
		if (!svc_container) {
			if (this.isRequired)
				throw new SvcError("SVC_INVALID", 'parameter "svc_container" is required: this service runs actions only in containers');
			return false;
		}
		if (this.#runs === undefined)
			throw new SvcError("SVC_INVALID", 'parameter "svc_container": the runner has no option "containers" in the configuration');
		if (sudo || svc_pty) throw new SvcError("SVC_INVALID", 'parameters "sudo" and "svc_pty" cannot be combined with "svc_container"');
		return true;
	}

	/** Returns true if the state belongs to a run in a container. */
	isOf(state: JsonObject): boolean {
		return this.#runs !== undefined && state["container"] !== undefined;
	}

	runWork(context: Context, toWork: () => Promise<ContainerWork>): Promise<ContainerEnd> {
		this.#ids.add(context.liveaction_id);
		return this.#get().run(context, toWork);
	}

	/** Continues the run of a container after a restart. Returns undefined if the container cannot be found from this node. */
	recoverWork(context: Context, state: JsonObject, toWork: () => Promise<ContainerWork>): Promise<ContainerEnd | undefined> {
		this.#ids.add(context.liveaction_id);
		return this.#get().recover(context, state, toWork);
	}

	/** Reads a file of a container; see `ContainerRuns.read`. */
	read(context: Context, path: string, most: number): ReturnType<ContainerRuns["read"]> {
		return this.#get().read(context, path, most);
	}

	async forget(run: Pick<RunContext, "liveaction_id">): Promise<void> {
		if (this.#ids.delete(run.liveaction_id)) await this.#runs?.forget(run);
	}

	#get(): ContainerRuns {
		if (this.#runs === undefined) throw new SvcError("SVC_RUNNER", 'the runner has no option "containers"');
		return this.#runs;
	}
}
