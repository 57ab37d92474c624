import type { EventBus, Logger } from "../../../contract/index.ts";
import { type BusWatch, createBusWatch } from "../../coordination/bus-listener.ts";
import { eventNames, toEventEntity } from "../../executions/execution-events.ts";
import type { ChildBook } from "./child-tracker.ts";

/** Tells the books of this node's runs what happens to their children. One subscription serves them all, and lasts while there are any. */
export class ChildWatch {
	readonly #watch: BusWatch;
	/** By parent. A run may have come back to this node before the one that lost it has ended. */
	readonly #books = new Map<string, Set<ChildBook>>();
	#started: Promise<void> | undefined;

	constructor({ eventBus, logger }: { readonly eventBus: EventBus; readonly logger: Logger }) {
		this.#watch = createBusWatch({
			eventBus,
			logger,
			names: [eventNames.executionUpdate],
			purpose: "children of runs",
			filter: (event) => this.#booksOf(toEventEntity(event).parent_id).size > 0,
			onEvent: (event) => {
				const child = toEventEntity(event);
				for (const book of this.#booksOf(child.parent_id)) book.note(child);
			},
			onGap: () => {
				for (const books of this.#books.values()) for (const book of books) book.lookAgain();
			},
		});
	}

	/** Resolves when the book misses nothing any more that happens afterwards. */
	async add(parentId: string, book: ChildBook): Promise<void> {
		this.#books.set(parentId, this.#booksOf(parentId).add(book));
		this.#started ??= this.#watch.start().catch((error: unknown) => {
			this.#started = undefined;
			throw error;
		});
		await this.#started;
	}

	remove(parentId: string, book: ChildBook): void {
		const books = this.#booksOf(parentId);
		books.delete(book);
		if (books.size === 0) this.#books.delete(parentId);
		if (this.#books.size > 0 || this.#started === undefined) return;
		this.#started = undefined;
		this.#watch.stop();
	}

	#booksOf(parentId: string | null): Set<ChildBook> {
		return (parentId === null ? undefined : this.#books.get(parentId)) ?? new Set();
	}
}
