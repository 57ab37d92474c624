import type { GitPack } from "../../../core/contract/index.ts";
import {
	type BackgroundLoop,
	fromTimestamp,
	SingletonTask,
	type SingletonTaskDependencies,
	toSourceText,
	type Uses,
	wait,
} from "../../../core/feature.ts";
import { type FollowPackDependencies, followPack } from "./follow-pack.ts";
import type { FollowedPacks, FollowedSource } from "./followed-packs.ts";

export interface PackFollowLoopDependencies extends SingletonTaskDependencies, FollowPackDependencies, Uses<"clock"> {
	readonly followedPacks: Pick<FollowedPacks, "known" | "source">;
	/** Followed packs, as configured. */
	readonly packs: readonly GitPack[];
}

const defaultInterval = 60;
/** Milliseconds between two polls of `checked_at` while another node checks the repository. */
const pause = 1_000;

/**
 * Keeps followed packs up to date with their repositories. One node at a time checks each repository, and installs new commits by an
 * ordinary execution.
 */
export class PackFollowLoop implements BackgroundLoop {
	readonly #parts: PackFollowLoopDependencies;
	/** Singleton tasks that check the repositories, by source. */
	#duties: ReadonlyMap<string, SingletonTask> = new Map();
	#stopping = new AbortController();
	/** Sources with a requested check that has not begun. Requests for such a source are merged. */
	readonly #asked = new Set<string>();

	constructor(parts: PackFollowLoopDependencies) {
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

	/**
	 * Requests a check that begins after this call, on this node or the one that holds the task. Does not wait. Further requests before the
	 * check begins are merged with this one.
	 */
	ask({ request: { text: source } }: FollowedSource): void {
		if (this.#asked.has(source)) return;
		this.#asked.add(source);
		void this.#look(source, this.#stopping.signal)
			.catch((error: unknown) => this.#parts.logger.warn("a requested check of a pack failed", { source, error }))
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

	/** Retries until a check that began after this call is done. A running check of another node does not count if it began earlier. */
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
