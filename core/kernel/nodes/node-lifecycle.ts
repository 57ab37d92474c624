import type { NodeState } from "../../contract/index.ts";
import type { Uses } from "../basics/engine-parts.ts";
import type { RetryStartup } from "../plugins/retry-startup.ts";
import type { UnreadyReason } from "./nodes-api.ts";

/** Background loop of a role, which starts work by itself, such as the scheduler. */
export interface BackgroundLoop {
	/** Starts the loop; may be called again after `stop`. */
	start(): Promise<void> | void;
	/** Stops the loop: it starts no work from the call on. Resolves when no work is being started any more. */
	stop(): Promise<void>;
}

export interface NodeLifecycleDependencies extends Uses<"logger"> {
	/** Background loops of the roles of this node, in the order in which they start. */
	readonly loops: readonly BackgroundLoop[];
	/** Starts a loop; repeats the attempt while the storage is unavailable. */
	readonly retryStartup: RetryStartup;
	/** Resolves when no execution runs on this node. */
	readonly idle: () => Promise<void>;
	/** Called when the state has changed, so that it can be published. */
	readonly onChange: () => void;
}

/**
 * State of this node: `starting`, `ready`, `draining` or `drained`. A node becomes `ready` when it begins to work. If an administrator
 * drains it, it becomes `draining`, and `drained` once no execution runs. It may be made `ready` again at any time. A node that stops for
 * good reports `draining` until the end.
 */
export class NodeLifecycle {
	readonly #parts: NodeLifecycleDependencies;
	#state: NodeState = "starting";
	/** True if the node must work; false if it must drain. */
	#shouldWork = true;
	#isStopping = false;
	/** True once `startWork` was called. Before that, `setDrain` only notes the request. */
	#hasBegun = false;
	/** Number of the last change, so that the end of an earlier drain is ignored. */
	#changeNumber = 0;
	/** The last change. Each change waits for the previous one. */
	#lastChange: Promise<void> = Promise.resolve();

	constructor(parts: NodeLifecycleDependencies) {
		this.#parts = parts;
	}

	/** Returns the state as it is stored in the record of the node. */
	state(): NodeState {
		return this.#isStopping ? "draining" : this.#state;
	}

	/** Returns the reason why the node must not get requests; undefined if it is ready for them. */
	unreadyReason(): UnreadyReason | undefined {
		if (this.#isStopping) return "stopping";
		return this.#state === "ready" ? undefined : this.#state;
	}

	/** Begins to work, unless the node must drain. Must be called last, when all other parts have started. */
	async startWork(): Promise<void> {
		this.#hasBegun = true;
		if (!this.#shouldWork) return this.#enqueueChange();
		await this.#startLoops();
		this.#become("ready");
		// A drain may have been requested while the loops started.
		if (!this.#shouldWork) void this.#enqueueChange();
	}

	/**
	 * Sets whether the node must drain. Returns immediately. The change is made in the background, or by `startWork` if that was not called
	 * yet.
	 */
	setDrain(drain: boolean): void {
		if (this.#shouldWork === !drain) return;
		this.#shouldWork = !drain;
		if (this.#hasBegun) void this.#enqueueChange();
	}

	/** Stops working for good. Resolves when no loop claims anything. From the call on, the node is not ready. */
	async stopWork(): Promise<void> {
		this.#isStopping = true;
		// Stop the loops at once, without waiting for a change that is in progress.
		const stopped = this.#stopLoops();
		this.#parts.onChange();
		await this.#lastChange;
		// The change that was in progress may have started the loops again.
		await Promise.all([stopped, this.#stopLoops()]);
	}

	async #startLoops(): Promise<void> {
		const { loops, retryStartup } = this.#parts;
		for (const loop of loops) await retryStartup(async () => loop.start());
	}

	/** Stops all loops at the same time, and waits until they have stopped. */
	async #stopLoops(): Promise<void> {
		await Promise.all(this.#parts.loops.map((loop) => loop.stop()));
	}

	#become(next: NodeState): void {
		if (this.#state === next) return;
		this.#state = next;
		this.#parts.logger.info("node state", { state: next });
		this.#parts.onChange();
	}

	/** Applies the requested state once the previous change has ended. Never rejects; errors are logged. */
	#enqueueChange(): Promise<void> {
		this.#lastChange = this.#lastChange
			.then(() => this.#apply())
			.catch((error: unknown) => this.#parts.logger.error("node could not change its state", { error }));
		return this.#lastChange;
	}

	async #apply(): Promise<void> {
		if (this.#isStopping || !this.#hasBegun) return;
		this.#changeNumber += 1;
		const changeNumber = this.#changeNumber;
		if (this.#shouldWork && this.#state !== "ready") {
			this.#become("ready");
			await this.#startLoops();
		} else if (!this.#shouldWork && (this.#state === "ready" || this.#state === "starting")) {
			this.#become("draining");
			await this.#stopLoops();
			// Do not wait until the node is idle, because it may be made ready again before that.
			void this.#parts.idle().then(() => {
				if (this.#changeNumber === changeNumber && !this.#isStopping) this.#become("drained");
			});
		}
	}
}
