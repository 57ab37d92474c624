import { type JsonObject, type JsonValue, SvcError } from "../../core/contract/index.ts";
import { ContainerFollow, type FollowedEnd } from "./container-follow.ts";
import type { ContainerSpec } from "./container-spec.ts";
import { ContainerStart, type ContainerStartOptions, type ReplacedContainer } from "./container-start.ts";
import { EngineDistrust, EngineRefusal } from "./engine-errors.ts";
import { type OwnContainerOptions, RunContainer, refusing } from "./run-container.ts";

/** Outcome of a container; `unstarted`: it has not started and will not start. */
export type ContainerEnd = FollowedEnd;

/** Everything needed to create a container; prepared only when a container must be created. */
export interface PreparedContainer extends ContainerSpec {
	/** Archive unpacked into `directory` of the container before it starts. */
	readonly files?: { readonly directory: string; readonly archive: Buffer };
	/** Value of the header `X-Registry-Auth`. */
	readonly credentials?: string | undefined;
}

export interface ContainerRunOptions extends OwnContainerOptions {
	/** Identifier of the engine, valid on all nodes (`toPlace`). A stored state with another identifier belongs to another engine. */
	readonly place: string;
	prepare(): Promise<PreparedContainer>;
	/** Seconds between TERM and KILL. */
	readonly grace: number;
	/** Called before an image is pulled, because that may take long. */
	onImagePull(image: string): Promise<void>;
}

/**
 * One container from its creation to its end. `prepared` is saved before any request to the engine, and `starting` between creation and
 * start. `replacing` is saved before the removal of a container that a lost request may still start. Therefore in state `prepared` no
 * container has started, and in state `starting` the container exists or existed. In state `replacing` the engine's events show whether the
 * container has started. A container that was started is never started again (`ContainerStart`).
 */
export class ContainerRun {
	readonly #parts: ContainerRunOptions;
	readonly #container: RunContainer;

	constructor(parts: ContainerRunOptions) {
		this.#parts = parts;
		this.#container = new RunContainer(parts);
	}

	async run(): Promise<ContainerEnd> {
		if (this.#parts.context.signal.aborted) return "unstarted";
		await this.#save("prepared");
		return this.#begin(true);
	}

	/** Continues the run of a container after a restart. Returns undefined if the container cannot be found from this node. */
	async recover(state: JsonObject): Promise<ContainerEnd | undefined> {
		const { context, name, place } = this.#parts;
		if (state["container"] !== name) return undefined;
		const answer = await this.#container.lookLong();
		if (answer === undefined) return "left";
		const { found } = answer;
		if (found !== undefined && found.phase !== "created") return this.#follow();
		if (context.signal.aborted) return this.#abandon();
		if (state["phase"] === "prepared") return this.#begin(false);
		// If the container disappears now, it is not created again: it may have started in between.
		if (found !== undefined) return this.#start(await this.#parts.prepare(), { isAsked: true, replaced: toReplaced(state) });
		// Another engine may still have the container.
		if (state["engine"] !== place) return undefined;
		return this.#goOnWithout(toReplaced(state));
	}

	/**
	 * Handles a missing container. It may have run, so it is not run again, unless it was being replaced and the engine reports that it had
	 * not started.
	 */
	async #goOnWithout(replaced: ReplacedContainer | undefined): Promise<ContainerEnd> {
		if (replaced === undefined) return "gone";
		const { context, engine } = this.#parts;
		const answer = await this.#container.reach(context.signal, async () => ({ hasBegun: await engine.hasBegun(replaced) }));
		if (answer === undefined) return this.#abandon();
		return answer.hasBegun ? "gone" : this.#begin(false);
	}

	#save(phase: "prepared" | "starting" | "replacing", replaced?: ReplacedContainer): Promise<void> {
		const { context, name, place } = this.#parts;
		const state = { container: name, engine: place, phase };
		return context.saveState(replaced === undefined ? state : { ...state, replaced: { id: replaced.id, since: replaced.since } });
	}

	async #begin(isNew: boolean): Promise<ContainerEnd> {
		const prepared = await this.#parts.prepare();
		const made = await this.#container.reach(this.#parts.context.signal, () => this.#make(prepared, isNew), refuseDistrust);
		if (made === undefined) return this.#abandon();
		await this.#save("starting");
		return this.#start(prepared, { isAsked: false, replaced: undefined });
	}

	async #start(prepared: PreparedContainer, before: Pick<ContainerStartOptions, "isAsked" | "replaced">): Promise<ContainerEnd> {
		const { signal } = this.#parts.context;
		const start = new ContainerStart({
			container: this.#container,
			make: () => this.#make(prepared, false),
			save: (phase, replaced) => this.#save(phase, replaced),
			...before,
		});
		const started = await this.#container.reach(signal, () => start.begin(signal));
		if (started === undefined) return this.#container.isLeft ? "left" : this.#endStarted();
		return started === "gone" ? "gone" : this.#follow();
	}

	/** Pulls the image, creates the container and uploads the files. Each step may have been done by an earlier attempt. */
	async #make({ image, pull, body, credentials, files }: PreparedContainer, isNew: boolean): Promise<true> {
		const { engine, name, context } = this.#parts;
		const { signal } = context;
		const isThere = !isNew && (await this.#container.look()) !== undefined;
		if (!isThere) {
			if (pull === "always" || (pull === "missing" && !(await engine.hasImage(image, signal)))) {
				await this.#parts.onImagePull(image);
				await refusing(`image "${image}" cannot be pulled`, engine.pull(image, credentials, signal));
			}
			await this.#create(body);
		}
		if (files !== undefined)
			await refusing("files cannot be copied into the container", engine.upload(name, files.directory, files.archive, signal));
		return true;
	}

	async #create(body: object): Promise<void> {
		const { engine, name, context } = this.#parts;
		try {
			await engine.create(name, body, context.signal);
		} catch (error) {
			if (!(error instanceof EngineRefusal)) throw error;
			// The container may exist because the response to an earlier attempt was lost.
			if ((await this.#container.look()) !== undefined) return;
			throw new SvcError("SVC_RUNNER", `the container cannot be created: ${error.message}`, { cause: error });
		}
	}

	async #follow(): Promise<ContainerEnd> {
		const end = await new ContainerFollow(this.#container, this.#parts.grace).follow();
		return end === "unstarted" ? this.#abandon() : end;
	}

	/** Handles an abort after the start was requested: follows the container if it has started, removes it otherwise. */
	async #endStarted(): Promise<ContainerEnd> {
		const answer = await this.#container.lookLong();
		if (answer === undefined) return "left";
		return answer.found === undefined || answer.found.phase === "created" ? this.#abandon() : this.#follow();
	}

	/** Removes a container that has not started and must not start. */
	async #abandon(): Promise<ContainerEnd> {
		const { left } = this.#container;
		if (left.aborted) return "left";
		const { engine, name } = this.#parts;
		await this.#container.reach(left, async () => {
			if ((await this.#container.look()) !== undefined) await engine.remove(name);
			return true;
		});
		return left.aborted ? "left" : "unstarted";
	}
}

/** Throws at once for untrusted certificates: no container was started, and a retry does not help. */
function refuseDistrust(error: unknown): void {
	if (error instanceof EngineDistrust) throw new SvcError("SVC_RUNNER", error.message, { cause: error });
}

/** Returns the replaced container from the state; undefined if none was being replaced. */
function toReplaced({ phase, replaced }: JsonObject): ReplacedContainer | undefined {
	const { id, since } = (replaced ?? {}) as { readonly id?: JsonValue; readonly since?: JsonValue };
	return phase === "replacing" && typeof id === "string" && typeof since === "number" ? { id, since } : undefined;
}
