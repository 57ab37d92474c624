import type { Logger, NodeState } from "../../contract/index.ts";
import type { UnreadyReason } from "./nodes-api.ts";
import type { Work } from "./role-loops.ts";

export interface NodeLifeParts {
	readonly logger: Logger;
	readonly work: Work;
	/** Resolves when nothing runs any more. */
	readonly idle: () => Promise<void>;
	/** The state is another one; others should hear of it. */
	readonly onChange: () => void;
}

/** What this node is at: it starts, works, empties itself when it is asked to, and stops. */
export class NodeLife {
	readonly #parts: NodeLifeParts;
	#state: NodeState = "starting";
	#isWanted = true;
	#isStopping = false;
	#isBegun = false;
	/** Counted up with every change, so that what belongs to an earlier one is known. */
	#turn = 0;
	/** Changes follow one another: each begins when the one before has come to its end. */
	#changing: Promise<void> = Promise.resolve();

	constructor(parts: NodeLifeParts) {
		this.#parts = parts;
	}

	/** As it is told to others. */
	state(): NodeState {
		return this.#isStopping ? "draining" : this.#state;
	}

	/** Why it should not be sent requests; undefined when it should. */
	unreadyReason(): UnreadyReason | undefined {
		if (this.#isStopping) return "stopping";
		return this.#state === "ready" ? undefined : this.#state;
	}

	/** Everything runs: begin to work, unless it has been asked to drain meanwhile. */
	async begin(): Promise<void> {
		this.#isBegun = true;
		if (!this.#isWanted) return this.#change();
		await this.#parts.work.start();
		this.#become("ready");
		// Asked to drain while it began.
		if (!this.#isWanted) void this.#change();
	}

	/** Whether it is to drain, as far as is known now. Acts on it in the background, once it has begun. */
	setDrain(drain: boolean): void {
		if (this.#isWanted === !drain) return;
		this.#isWanted = !drain;
		if (this.#isBegun) void this.#change();
	}

	/** Ends work for good; resolves when nothing is being taken on any more. */
	async end(): Promise<void> {
		const { work } = this.#parts;
		this.#isStopping = true;
		// Told at once, whatever else is under way.
		const stopped = work.stop();
		await this.#changing;
		// What a change under way has started again meanwhile.
		await Promise.all([stopped, work.stop()]);
	}

	#become(next: NodeState): void {
		if (this.#state === next) return;
		this.#state = next;
		this.#parts.logger.info("node state", { state: next });
		this.#parts.onChange();
	}

	#change(): Promise<void> {
		this.#changing = this.#changing
			.then(() => this.#apply())
			.catch((error: unknown) => this.#parts.logger.error("node could not change its state", { error }));
		return this.#changing;
	}

	async #apply(): Promise<void> {
		const { work, idle } = this.#parts;
		if (this.#isStopping || !this.#isBegun) return;
		this.#turn += 1;
		const mine = this.#turn;
		if (this.#isWanted && this.#state !== "ready") {
			this.#become("ready");
			await work.start();
		} else if (!this.#isWanted && (this.#state === "ready" || this.#state === "starting")) {
			this.#become("draining");
			await work.stop();
			// Not waited for: it may be asked to work again meanwhile.
			void idle().then(() => {
				if (this.#turn === mine && !this.#isStopping) this.#become("drained");
			});
		}
	}
}
