import type { GitPack } from "../../../contract/index.ts";
import { fromTimestamp } from "../../../kernel/basics/clock.ts";
import type { Uses } from "../../../kernel/basics/engine-parts.ts";
import { SingletonTask, type SingletonTaskOptions } from "../../../kernel/coordination/singleton-task.ts";
import type { BackgroundLoop } from "../../../kernel/nodes/role-loops.ts";
import { wait } from "../../../lib/wait.ts";
import { toSourceText } from "../followed-source-api.ts";
import { type FollowPackOptions, followPack } from "./follow-pack.ts";
import type { FollowedPacks, FollowedSource } from "./followed-packs.ts";

export interface FollowingOptions extends SingletonTaskOptions, FollowPackOptions, Uses<"clock"> {
	readonly followedPacks: Pick<FollowedPacks, "known" | "source">;
	/** As the configuration has them. */
	readonly packs: readonly GitPack[];
}

const defaultInterval = 60;
/** Milliseconds between two looks at whether another node has looked. */
const pause = 1_000;

/** Has packs be what their repositories say: one node at a time looks at each, and installs what is new as anybody would. */
export class Following implements BackgroundLoop {
	readonly #parts: FollowingOptions;
	/** By source. */
	#duties: ReadonlyMap<string, SingletonTask> = new Map();
	#stopping = new AbortController();
	/** Sources that are to be looked at once more, and where that has not begun. */
	readonly #asked = new Set<string>();

	constructor(parts: FollowingOptions) {
		this.#parts = parts;
	}

	start(): void {
		this.#stopping = new AbortController();
		this.#duties = new Map(this.#parts.packs.map((pack) => this.#toDuty(pack)));
		for (const duty of this.#duties.values()) duty.start();
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		await Promise.all([...this.#duties.values()].map((duty) => duty.stop()));
	}

	/** Have a look begin after this moment, soon, here or on the node that has the duty. Many who ask meanwhile have one. */
	ask({ request: { text: source } }: FollowedSource): void {
		if (this.#asked.has(source)) return;
		this.#asked.add(source);
		void this.#look(source, this.#stopping.signal)
			.catch((error: unknown) => this.#parts.logger.warn("a pack could not be looked at when it was asked for", { source, error }))
			.finally(() => this.#asked.delete(source));
	}

	#toDuty(pack: GitPack): [source: string, duty: SingletonTask] {
		const { followedPacks } = this.#parts;
		const followed = followedPacks.source(toSourceText(pack));
		const source = followed.request.text;
		const work = (signal: AbortSignal) => {
			this.#asked.delete(source);
			return followPack(this.#parts, followed, signal);
		};
		return [source, new SingletonTask(this.#parts, { name: `follow ${source}`, intervalSeconds: pack.interval ?? defaultInterval, work })];
	}

	/** Another node that is at it may have looked before this was asked. */
	async #look(source: string, signal: AbortSignal): Promise<void> {
		const { clock, followedPacks } = this.#parts;
		const asked = clock.now();
		const duty = this.#duties.get(source);
		while (duty !== undefined && !signal.aborted) {
			if (await duty.runNow()) return;
			if (fromTimestamp((await followedPacks.known(followedPacks.source(source))).checked_at) >= asked) return;
			await wait(pause, signal);
		}
	}
}
