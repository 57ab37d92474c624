import { setImmediate as nextTurn } from "node:timers/promises";
import {
	type Child,
	type ChildExecutions,
	type ChildRequest,
	type ChildWait,
	type ExecutionEntity,
	isSvcError,
	type JsonObject,
	type Options,
	type PreparedChild,
	type Runner,
	type Storage,
	SvcError,
	type WriteOperation,
} from "../../../contract/index.ts";
import type { KnownSecrets } from "../../../secrets/redactor.ts";
import { findResultSecrets } from "../../../secrets/result-masking.ts";
import { assertRecordable } from "../../basics/plugin-results.ts";
import { cancelExecution, changeStatus } from "../../executions/cancel.ts";
import {
	type ChildReading,
	childFields,
	readChildren,
	type StoredChild,
	toChildId,
	toFollowing,
	toReading,
} from "../../executions/child-record.ts";
import type { TransitionParts } from "../../executions/transition.ts";
import type { EngineDependencies } from "../../plugins/engine-dependencies.ts";
import { checkTakeUp, type TakeUp } from "../../submission/partial-rerun.ts";
import type { DraftedExecution } from "../../submission/submit.ts";
import type { RunCalls } from "../host-calls.ts";
import type { Performance } from "../prepare-run.ts";
import type { RunRecords } from "../run-writes.ts";
import type { ChildWatch } from "./child-events.ts";
import { type ChildStartParts, ChildStarts } from "./child-starter.ts";
import { ChildBook } from "./child-tracker.ts";

export interface RunChildrenParts extends ChildStartParts, TransitionParts {
	readonly logger: EngineDependencies["logger"];
	readonly options: Pick<Options, "scheduler">;
	readonly runners: ReadonlyMap<string, Runner>;
	readonly records: Pick<RunRecords, "guard">;
	readonly watch: ChildWatch;
	readonly onWaiting: (isWaiting: boolean) => void;
}

/** Have the run know what is secret in what it is told. */
export type Learn = (known: KnownSecrets) => Promise<void>;

const longestKey = 255;
/** Children after whose preparation the event loop serves others: a workflow may prepare hundreds at once. */
const preparedInTurn = 20;

/** The children of one run. Its members may be taken apart: runners do so with what they are given. */
export class RunChildren implements ChildExecutions {
	readonly #parts: RunChildrenParts;
	readonly #performance: Performance;
	readonly #calls: RunCalls;
	readonly #learn: Learn;
	readonly #book: ChildBook;
	readonly #starts: ChildStarts;
	readonly #readable: TakenUpChain;
	/** What `prepare` has looked at, by the id; undefined: it has been started before. */
	readonly #prepared = new Map<string, DraftedExecution | undefined>();
	#preparations = 0;

	constructor(parts: RunChildrenParts, performance: Performance, { calls, learn }: { readonly calls: RunCalls; readonly learn: Learn }) {
		this.#parts = parts;
		this.#performance = performance;
		this.#calls = calls;
		this.#learn = learn;
		const parentId = performance.execution.id;
		this.#book = new ChildBook({ ...parts, parentId, follow: () => parts.watch.add(parentId, this.#book) });
		this.#starts = new ChildStarts(parts, performance);
		this.#readable = new TakenUpChain(parts.storage, performance.execution);
	}

	/** The run has ended. */
	close(): void {
		this.#book.close();
		this.#parts.watch.remove(this.#performance.execution.id, this.#book);
	}

	readonly start = async (request: ChildRequest): Promise<string> => {
		const id = this.#toId(request, "children.start");
		const { execution, run } = this.#performance;
		return this.#calls.outlast(async () => {
			const draft = await this.#draft(id, request);
			if (draft === undefined) return id;
			try {
				await this.store([draft], this.#parts.records.guard(execution, run));
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				if ((await this.missing([draft])).length > 0) throw this.#calls.toLost();
			}
			return id;
		});
	};

	readonly prepare = async (request: ChildRequest): Promise<PreparedChild> => {
		const id = this.#toId(request, "children.prepare");
		return this.#calls.outlast(async () => {
			this.#prepared.set(id, await this.#draft(id, request));
			this.#preparations += 1;
			if (this.#preparations % preparedInTurn === 0) await nextTurn();
			return { id, key: request.key };
		});
	};

	/** What is to be stored of prepared children. */
	toDrafts(children: readonly PreparedChild[]): readonly DraftedExecution[] {
		const ids = new Set(children.map(({ id }) => id));
		return [...ids].flatMap((id) => {
			if (!this.#prepared.has(id)) throw new SvcError("SVC_INVALID", `start: "${id}" is no child that this run has prepared`);
			return this.#prepared.get(id) ?? [];
		});
	}

	/** Store what was drafted together with `alongside`, all or nothing; `SVC_CONFLICT` when some of it is there, or the execution is not this run's. */
	async store(drafts: readonly DraftedExecution[], alongside: readonly WriteOperation[]): Promise<void> {
		await this.#starts.store(drafts, alongside);
		for (const { entity } of drafts) {
			this.#book.note(entity);
			if (this.#prepared.has(entity.id)) this.#prepared.set(entity.id, undefined);
		}
	}

	/** Those that nobody has stored yet. */
	async missing(drafts: readonly DraftedExecution[]): Promise<readonly DraftedExecution[]> {
		const ids = drafts.map(({ entity }) => entity.id);
		const there = ids.length === 0 ? [] : await this.#find({ id: { in: ids } });
		for (const child of there) this.#book.note(child);
		const known = new Set(there.map(({ id }) => id));
		return drafts.filter(({ entity }) => !known.has(entity.id));
	}

	/** Whether a child has come further than the runner has been told. */
	async haveNews(): Promise<boolean> {
		const ids = this.#book.toldOpen();
		return ids.length > 0 && (await this.#find({ id: { in: ids } })).some((child) => this.#book.isNews(child));
	}

	readonly find = async (key: string): Promise<Child | undefined> => {
		const id = toChildId(this.#performance.execution.id, key);
		const read = async (of: string) => (await this.#find({ id: of }))[0];
		const stored = await this.#calls.outlast(() => readLatest(id, read));
		return stored && this.#book.tell(toReading(stored));
	};

	readonly list = async (): Promise<readonly Child[]> => {
		const latest = await this.#calls.outlast(() => this.#readLatest());
		return [...latest.values()].map((reading) => this.#book.tell(reading));
	};

	/** The latest reading of each child, by its id. */
	async #readLatest(): Promise<ReadonlyMap<string, ChildReading>> {
		const latest = new Map<string, ChildReading>();
		for await (const page of readChildren(this.#parts.storage, { parent_id: this.#performance.execution.id })) {
			for (const stored of page) {
				const reading = toReading(stored);
				const { id } = reading.child;
				if ((latest.get(id)?.age ?? 0) < reading.age) latest.set(id, reading);
			}
		}
		return latest;
	}

	readonly ended = async (id: string, { signal = this.#signal }: ChildWait = {}): Promise<Child> => {
		this.#calls.assertHeld();
		if (this.#book.knows(id)) return this.#book.ended(id, signal);
		const stored = await this.#calls.outlast(() => this.#get(id));
		this.#book.note(stored);
		return this.#book.ended(toReading(stored).child.id, signal);
	};

	readonly changes = ({ signal = this.#signal }: ChildWait = {}): AsyncIterable<Child> => {
		this.#calls.assertHeld();
		return this.#book.changes(signal);
	};

	readonly result = (id: string): Promise<JsonObject | null> =>
		this.#calls.outlast(async () => {
			const child = await this.#read(id);
			const snapshot = await this.#parts.catalog.snapshot(child.snapshot_id);
			const shown = child.result === null ? [] : findResultSecrets(child.result, snapshot);
			await this.#learn(this.#parts.sealedSecrets.ofExecution(child, snapshot).with(shown));
			return child.result;
		});

	readonly cancel = (id: string): Promise<void> =>
		this.#calls.outlast(async () => {
			const asking = { username: this.#performance.execution.user, isAdmin: false };
			for (let isFollowed = true; isFollowed; ) {
				const { entity } = await cancelExecution(this.#parts, await this.#get(id), asking, { byParent: true });
				// It may have ended before, and another one be under way in its place.
				isFollowed = toFollowing(entity) !== undefined;
			}
		});

	readonly pause = (id: string): Promise<void> => this.#setStatus(id, "pausing");

	readonly resume = (id: string): Promise<void> => this.#setStatus(id, "resuming");

	async #setStatus(id: string, status: "pausing" | "resuming"): Promise<void> {
		await this.#calls.outlast(async () => {
			const principal = await this.#starts.principal();
			for (let child = await this.#get(id); ; ) {
				try {
					await changeStatus(this.#parts, child, { status }, principal, { byParent: true });
					return;
				} catch (error) {
					const latest = await this.#get(id);
					if (latest.id === child.id) throw error;
					child = latest;
				}
			}
		});
	}

	#toId(request: ChildRequest, called: string): string {
		assertRecordable(request, `what ${called} was given`);
		if (typeof request.key !== "string" || request.key === "" || request.key.length > longestKey) {
			throw new SvcError("SVC_INVALID", `key: must be a text of 1 to ${longestKey} characters`);
		}
		return toChildId(this.#performance.execution.id, request.key);
	}

	/** Undefined when there is such a child already: whatever stands in the way of another one, it counts. */
	async #draft(id: string, request: ChildRequest): Promise<DraftedExecution | undefined> {
		try {
			return await this.#starts.draft(id, request, await this.#toTakeUp(request));
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			const [stored] = await this.#find({ id });
			if (stored === undefined) throw error;
			this.#book.note(stored);
			return undefined;
		}
	}

	async #toTakeUp({ action, takesUp }: ChildRequest): Promise<TakeUp | undefined> {
		if (takesUp === undefined) return undefined;
		const earlier = await this.#read(takesUp.execution_id);
		if (earlier.action_ref !== action) {
			throw new SvcError("SVC_INVALID", `takesUp: execution "${earlier.id}" is one of "${earlier.action_ref}", not of "${action}"`);
		}
		return checkTakeUp(this.#parts, earlier, takesUp);
	}

	#find(where: { readonly id?: string | { readonly in: readonly string[] } }): Promise<readonly StoredChild[]> {
		const { id } = this.#performance.execution;
		const orderBy = [["start_timestamp", "asc"]] as const;
		return this.#parts.storage.find("execution", { where: { ...where, parent_id: id }, fields: childFields, orderBy });
	}

	/** The execution that the child is by now. */
	async #get(id: string): Promise<ExecutionEntity> {
		const child = await readLatest(id, (of) => this.#parts.storage.get("execution", of));
		if (child?.parent_id === this.#performance.execution.id) return child;
		throw this.#toUnknown(id);
	}

	/** Also a child of what the run takes up. */
	async #read(id: string): Promise<ExecutionEntity> {
		const child = await readLatest(id, (of) => this.#parts.storage.get("execution", of));
		if (child !== undefined && (await this.#readable.has(child.parent_id))) return child;
		throw this.#toUnknown(id);
	}

	#toUnknown(id: string): SvcError {
		return new SvcError("SVC_NOT_FOUND", `execution "${id}" is no child of "${this.#performance.execution.id}"`);
	}

	get #signal(): AbortSignal {
		return this.#performance.run.controller.signal;
	}
}

/** The last of the executions that follow one another; all have the same parent. */
async function readLatest<T extends Parameters<typeof toFollowing>[0]>(
	id: string,
	read: (id: string) => Promise<T | undefined>,
): Promise<T | undefined> {
	for (let asked = id; ; ) {
		const stored = await read(asked);
		const next = stored && toFollowing(stored);
		if (next === undefined) return stored;
		asked = next;
	}
}

/** The executions whose children a run may read: its own, the one that it takes up, the one that took up, and so on. */
class TakenUpChain {
	readonly #storage: Pick<Storage, "find">;
	readonly #known: Set<string>;
	/** The next one to be looked at; null: all are known. */
	#next: string | null;

	constructor(storage: Pick<Storage, "find">, { id, takes_up }: Pick<ExecutionEntity, "id" | "takes_up">) {
		this.#storage = storage;
		this.#known = new Set([id]);
		this.#next = takes_up;
	}

	async has(id: string | null): Promise<boolean> {
		if (id === null) return false;
		while (!this.#known.has(id) && this.#next !== null && !this.#known.has(this.#next)) {
			const asked = this.#next;
			const [found] = await this.#storage.find("execution", { where: { id: asked }, fields: ["takes_up"] });
			this.#known.add(asked);
			this.#next = found?.takes_up ?? null;
		}
		return this.#known.has(id);
	}
}
