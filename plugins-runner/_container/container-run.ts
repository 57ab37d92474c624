import { type JsonObject, type JsonValue, SvcError } from "../../core/contract/index.ts";
import { ContainerFollow, type FollowedEnd } from "./container-follow.ts";
import type { ContainerSpec } from "./container-spec.ts";
import { ContainerStart, type ContainerStartOptions, type ReplacedContainer } from "./container-start.ts";
import { EngineDistrust, EngineRefusal } from "./engine-errors.ts";
import { OwnContainer, type OwnContainerOptions, refusing } from "./own-container.ts";

/** How a container has ended; `unstarted`: it never began, and will not. */
export type ContainerEnd = FollowedEnd;

/** What a container is made of, worked out where one is needed. */
export interface PreparedContainer extends ContainerSpec {
	/** Put below `directory` of the container before it begins. */
	readonly files?: { readonly directory: string; readonly archive: Buffer };
	/** As `X-Registry-Auth` has them. */
	readonly credentials?: string | undefined;
}

export interface ContainerRunOptions extends OwnContainerOptions {
	/** Where the engine is: whoever finds the same in a state has asked the same engine. */
	readonly place: string;
	prepare(): Promise<PreparedContainer>;
	/** Seconds between TERM and KILL. */
	readonly grace: number;
	/** Called before an image is pulled, which may take long. */
	onImagePull(image: string): Promise<void>;
}

/**
 * One container from its making to its end. States: `prepared` is saved before anything is asked of the engine, `starting` when the container is
 * there and before it is begun, `replacing` before one is removed that may have been asked to begin and had not. So nothing has begun of what is
 * `prepared`, what is `starting` has been made, and of what is `replacing` the engine knows whether it had begun after all. What was begun is never
 * begun a second time (`ContainerStart`).
 */
export class ContainerRun {
	readonly #parts: ContainerRunOptions;
	readonly #container: OwnContainer;

	constructor(parts: ContainerRunOptions) {
		this.#parts = parts;
		this.#container = new OwnContainer(parts);
	}

	async run(): Promise<ContainerEnd> {
		if (this.#parts.context.signal.aborted) return "unstarted";
		await this.#save("prepared");
		return this.#begin(true);
	}

	/** Undefined: it cannot be found from here. */
	async recover(state: JsonObject): Promise<ContainerEnd | undefined> {
		const { context, name, place } = this.#parts;
		if (state["container"] !== name) return undefined;
		const answer = await this.#container.lookLong();
		if (answer === undefined) return "left";
		const { found } = answer;
		if (found !== undefined && found.phase !== "created") return this.#follow();
		if (context.signal.aborted) return this.#abandon();
		if (state["phase"] === "prepared") return this.#begin(false);
		// Not made once more, should it be gone a moment later: it may have begun meanwhile.
		if (found !== undefined) return this.#start(await this.#parts.prepare(), { isAsked: true, replaced: toReplaced(state) });
		// Another engine may still have it.
		if (state["engine"] !== place) return undefined;
		return this.#goOnWithout(toReplaced(state));
	}

	/** It may have run, and is not run a second time: unless it was to be replaced, and the engine says that it had not begun. */
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

	/** Pull, create, upload: each may have been done before. */
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
			await refusing("files cannot be put into the container", engine.upload(name, files.directory, files.archive, signal));
		return true;
	}

	async #create(body: object): Promise<void> {
		const { engine, name, context } = this.#parts;
		try {
			await engine.create(name, body, context.signal);
		} catch (error) {
			if (!(error instanceof EngineRefusal)) throw error;
			// The answer to an earlier try may have been lost.
			if ((await this.#container.look()) !== undefined) return;
			throw new SvcError("SVC_RUNNER", `the container cannot be made: ${error.message}`, { cause: error });
		}
	}

	async #follow(): Promise<ContainerEnd> {
		const end = await new ContainerFollow(this.#container, this.#parts.grace).follow();
		return end === "unstarted" ? this.#abandon() : end;
	}

	/** What was asked to begin may have begun. */
	async #endStarted(): Promise<ContainerEnd> {
		const answer = await this.#container.lookLong();
		if (answer === undefined) return "left";
		return answer.found === undefined || answer.found.phase === "created" ? this.#abandon() : this.#follow();
	}

	/** It has not begun, and must not. */
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

/** Nothing has begun, and waiting does not make certificates right. */
function refuseDistrust(error: unknown): void {
	if (error instanceof EngineDistrust) throw new SvcError("SVC_RUNNER", error.message, { cause: error });
}

/** As the state has it; undefined where nothing was to be replaced. */
function toReplaced({ phase, replaced }: JsonObject): ReplacedContainer | undefined {
	const { id, since } = (replaced ?? {}) as { readonly id?: JsonValue; readonly since?: JsonValue };
	return phase === "replacing" && typeof id === "string" && typeof since === "number" ? { id, since } : undefined;
}
