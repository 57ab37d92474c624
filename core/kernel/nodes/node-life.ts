import type { Logger, NodeState } from "../../contract/index.ts";
import type { UnreadyReason } from "./nodes-api.ts";
import type { Work } from "./work.ts";

/** What this node is at: it starts, works, empties itself when it is asked to, and stops. */
export interface NodeLife {
	/** As it is told to others. */
	state(): NodeState;
	/** Why it should not be sent requests; undefined when it should. */
	unreadyReason(): UnreadyReason | undefined;
	/** Everything runs: begin to work, unless it has been asked to drain meanwhile. */
	begin(): Promise<void>;
	/** Whether it is to drain, as far as is known now. Acts on it in the background, once it has begun. */
	setDrain(drain: boolean): void;
	/** Ends work for good; resolves when nothing is being taken on any more. */
	end(): Promise<void>;
}

export interface NodeLifeParts {
	readonly logger: Logger;
	readonly work: Work;
	/** Resolves when nothing runs any more. */
	readonly idle: () => Promise<void>;
	/** The state is another one; others should hear of it. */
	readonly onChange: () => void;
}

export function createNodeLife({ logger, work, idle, onChange }: NodeLifeParts): NodeLife {
	let state: NodeState = "starting";
	let isWanted = true;
	let isStopping = false;
	let isBegun = false;
	/** Counted up with every change, so that what belongs to an earlier one is known. */
	let turn = 0;
	/** Changes follow one another: each begins when the one before has come to its end. */
	let changing: Promise<void> = Promise.resolve();

	function become(next: NodeState): void {
		if (state === next) return;
		state = next;
		logger.info("node state", { state });
		onChange();
	}

	function change(): Promise<void> {
		changing = changing.then(apply).catch((error: unknown) => logger.error("node could not change its state", { error }));
		return changing;
	}

	async function apply(): Promise<void> {
		if (isStopping || !isBegun) return;
		turn += 1;
		const mine = turn;
		if (isWanted && state !== "ready") {
			become("ready");
			await work.start();
		} else if (!isWanted && (state === "ready" || state === "starting")) {
			become("draining");
			await work.stop();
			// Not waited for: it may be asked to work again meanwhile.
			void idle().then(() => {
				if (turn === mine && !isStopping) become("drained");
			});
		}
	}

	return {
		state: () => (isStopping ? "draining" : state),
		unreadyReason() {
			if (isStopping) return "stopping";
			return state === "ready" ? undefined : state;
		},
		async begin() {
			isBegun = true;
			if (!isWanted) return change();
			await work.start();
			become("ready");
			// Asked to drain while it began.
			if (!isWanted) void change();
		},
		setDrain(drain) {
			if (isWanted === !drain) return;
			isWanted = !drain;
			if (isBegun) void change();
		},
		async end() {
			isStopping = true;
			// Told at once, whatever else is under way.
			const stopped = work.stop();
			await changing;
			// What a change under way has started again meanwhile.
			await Promise.all([stopped, work.stop()]);
		},
	};
}
