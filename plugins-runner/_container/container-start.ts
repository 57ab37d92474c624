import { SvcError } from "../../core/contract/index.ts";
import type { ContainerView } from "./engine.ts";
import { EngineRefusal } from "./engine-errors.ts";
import type { RunContainer } from "./run-container.ts";

/** Id and time of a removed container, with which the engine's events show whether it had started. */
export type ReplacedContainer = Pick<ContainerView, "id" | "since">;

export interface ContainerStartOptions {
	readonly container: RunContainer;
	/** Creates the container unless it exists. */
	make(): Promise<unknown>;
	/** @param replaced container that will be replaced */
	save(phase: "prepared" | "starting" | "replacing", replaced?: ReplacedContainer): Promise<void>;
	/** True if an earlier attempt may have requested the start. */
	readonly isAsked: boolean;
	/** Container that an earlier attempt was replacing; its removal may have been requested. */
	readonly replaced: ReplacedContainer | undefined;
}

/**
 * Starts the container of a run exactly once. An engine starts an ended container again, and a request may arrive long after its sender has
 * stopped. So the start of a container is requested at most once, by its id. A container whose start may have been requested is replaced by
 * a new one.
 */
export class ContainerStart {
	readonly #parts: ContainerStartOptions;
	#isAsked: boolean;
	/** Replaced container, until the new one exists. */
	#old: ReplacedContainer | undefined;

	constructor(parts: ContainerStartOptions) {
		this.#parts = parts;
		this.#isAsked = parts.isAsked;
		this.#old = parts.replaced;
	}

	/**
	 * Starts the container. May be called again if the engine did not answer. Returns `gone` if the container may have started and no
	 * longer exists.
	 */
	async begin(signal: AbortSignal): Promise<"started" | "gone"> {
		const { container } = this.#parts;
		let found = await container.look();
		if (found?.phase === "created" && this.#isAsked) found = await this.#remove(found);
		if (found === undefined) {
			// The pending start request may have arrived before the removal request.
			if (this.#old === undefined || (await container.engine.hasBegun(this.#old))) return "gone";
			found = await this.#makeAnother();
		}
		if (found?.phase === "created") await this.#start(found.id, signal);
		return found === undefined ? "gone" : "started";
	}

	/** Removes the container. Returns undefined if it was removed, otherwise its new state. */
	async #remove(unbegun: ContainerView): Promise<ContainerView | undefined> {
		const { engine } = this.#parts.container;
		this.#old = unbegun;
		await this.#parts.save("replacing", unbegun);
		try {
			await engine.removeIdle(unbegun.id);
			return undefined;
		} catch (error) {
			return this.#lookAfter(error, "cannot be replaced");
		}
	}

	async #makeAnother(): Promise<ContainerView | undefined> {
		const { container, make, save } = this.#parts;
		await save("prepared");
		await make();
		this.#isAsked = false;
		this.#old = undefined;
		await save("starting");
		return container.look();
	}

	async #start(id: string, signal: AbortSignal): Promise<void> {
		this.#isAsked = true;
		try {
			await this.#parts.container.engine.start(id, signal);
		} catch (error) {
			await this.#lookAfter(error, "cannot be started");
		}
	}

	/**
	 * Returns the container's state after a refused request. If the container has started, the refusal is ignored; otherwise throws
	 * `SVC_RUNNER`.
	 */
	async #lookAfter(error: unknown, what: string): Promise<ContainerView> {
		if (!(error instanceof EngineRefusal)) throw error;
		const now = await this.#parts.container.look();
		if (now !== undefined && now.phase !== "created") return now;
		throw new SvcError("SVC_RUNNER", `the container ${what}: ${error.message}`, { cause: error });
	}
}
