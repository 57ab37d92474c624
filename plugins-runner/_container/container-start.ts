import { SvcError } from "../../core/contract/index.ts";
import type { ContainerView } from "./engine.ts";
import { EngineRefusal } from "./engine-errors.ts";
import type { OwnContainer } from "./own-container.ts";

/** What is left of a container that has been removed: enough to ask whether it had begun. */
export type ReplacedContainer = Pick<ContainerView, "id" | "since">;

export interface ContainerStartOptions {
	readonly container: OwnContainer;
	/** Make the container, unless it is there. */
	make(): Promise<unknown>;
	/** @param replaced the container that is to be replaced */
	save(phase: "prepared" | "starting" | "replacing", replaced?: ReplacedContainer): Promise<void>;
	/** Whether somebody may have asked it to begin before. */
	readonly isAsked: boolean;
	/** The container that somebody was about to replace before: to remove it may have been asked for. */
	readonly replaced: ReplacedContainer | undefined;
}

/**
 * Lets the container of a run begin, once. An engine starts one again that has ended, and a request may arrive long after whoever sent it has given
 * it up, or has died: so a container is asked to begin once at most, by its id, and one that may have been asked is replaced by another one.
 */
export class ContainerStart {
	readonly #parts: ContainerStartOptions;
	#isAsked: boolean;
	/** One that was to be replaced, until the other one is there. */
	#old: ReplacedContainer | undefined;

	constructor(parts: ContainerStartOptions) {
		this.#parts = parts;
		this.#isAsked = parts.isAsked;
		this.#old = parts.replaced;
	}

	/** May be called again where the engine did not answer. `gone`: it has begun, perhaps, and is not there any more. */
	async begin(signal: AbortSignal): Promise<"started" | "gone"> {
		const { container } = this.#parts;
		let found = await container.look();
		if (found?.phase === "created" && this.#isAsked) found = await this.#remove(found);
		if (found === undefined) {
			// The request that was on its way may have come before the one to remove it.
			if (this.#old === undefined || (await container.engine.hasBegun(this.#old))) return "gone";
			found = await this.#makeAnother();
		}
		if (found?.phase === "created") await this.#start(found.id, signal);
		return found === undefined ? "gone" : "started";
	}

	/** Undefined once it is removed, else what it has become. */
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

	/** What has begun all the same is no matter of what was refused. */
	async #lookAfter(error: unknown, what: string): Promise<ContainerView> {
		if (!(error instanceof EngineRefusal)) throw error;
		const now = await this.#parts.container.look();
		if (now !== undefined && now.phase !== "created") return now;
		throw new SvcError("SVC_RUNNER", `the container ${what}: ${error.message}`, { cause: error });
	}
}
