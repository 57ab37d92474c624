import { setImmediate as nextTurn } from "node:timers/promises";
import {
	type Child,
	type ChildExecutions,
	type ChildRequest,
	type ChildWait,
	type ExecutionEntity,
	isSvcError,
	type JsonObject,
	type PreparedChild,
	type Storage,
	SvcError,
	type WriteOperation,
} from "../../../contract/index.ts";
import type { Redactor } from "../../../secrets/redactor.ts";
import { findResultSecrets } from "../../../secrets/result-masking.ts";
import { assertRecordable } from "../../basics/plugin-results.ts";
import {
	type ChildReading,
	childFields,
	findReplacementId,
	readChildPages,
	type StoredChild,
	toChildId,
	toChildReading,
} from "../../executions/child-identity.ts";
import { cancelExecution, changeStatus } from "../../executions/status-requests.ts";
import { checkPartialRerun, type PartialRerun } from "../../submission/rerun-request.ts";
import type { DraftedExecution } from "../../submission/submit.ts";
import type { ActiveRun } from "../active-runs.ts";
import type { RunWrites } from "../run-writes.ts";
import { ChildStarter } from "./child-starter.ts";
import { ChildTracker, type ChildTrackerDependencies } from "./child-tracker.ts";

export interface RunChildrenOptions extends ChildTrackerDependencies {
	readonly runWrites: Pick<RunWrites, "fenceOperations">;
}

/** Adds secrets to those of the run. Resolves when they are stored for a process that continues the run. */
export type AddSecrets = (known: Redactor) => Promise<void>;

const maxKeyLength = 255;
/** Number of children that are prepared before yielding to the event loop. A workflow may prepare hundreds of children at once. */
const preparationsPerTurn = 20;

/** Children of one run. Runners may use its methods as plain functions, for example after destructuring. */
export class RunChildren implements ChildExecutions {
	readonly #parts: RunChildrenOptions;
	readonly #run: ActiveRun;
	readonly #addSecrets: AddSecrets;
	readonly #tracker: ChildTracker;
	readonly #starter: ChildStarter;
	readonly #readableParents: RerunChain;
	/** Drafts of prepared children, by id. The value is undefined for a child that was already started. */
	readonly #preparedDrafts = new Map<string, DraftedExecution | undefined>();
	#preparationCount = 0;

	constructor(parts: RunChildrenOptions, run: ActiveRun, addSecrets: AddSecrets) {
		this.#parts = parts;
		this.#run = run;
		this.#addSecrets = addSecrets;
		this.#tracker = new ChildTracker(parts, run.execution.id);
		this.#starter = new ChildStarter(parts, run);
		this.#readableParents = new RerunChain(parts.storage, run.execution);
	}

	/** Ends waits and iterations, because the run has ended. */
	close(): void {
		this.#tracker.close();
	}

	readonly start = async (request: ChildRequest): Promise<string> => {
		const id = this.#toId(request, "children.start");
		return this.#run.callHost(async () => {
			const draft = await this.#draft(id, request);
			if (draft === undefined) return id;
			try {
				await this.store([draft], this.#parts.runWrites.fenceOperations(this.#run));
			} catch (error) {
				if (!isSvcError(error, "SVC_CONFLICT")) throw error;
				if ((await this.findMissing([draft])).length > 0) throw this.#run.toLostError();
			}
			return id;
		});
	};

	readonly prepare = async (request: ChildRequest): Promise<PreparedChild> => {
		const id = this.#toId(request, "children.prepare");
		return this.#run.callHost(async () => {
			this.#preparedDrafts.set(id, await this.#draft(id, request));
			this.#preparationCount += 1;
			if (this.#preparationCount % preparationsPerTurn === 0) await nextTurn();
			return { id, key: request.key };
		});
	};

	/**
	 * Returns the drafts of prepared children that have not been started. Throws `SVC_INVALID` for a child that this run has not prepared.
	 */
	toDrafts(children: readonly PreparedChild[]): readonly DraftedExecution[] {
		const ids = new Set(children.map(({ id }) => id));
		return [...ids].flatMap((id) => {
			if (!this.#preparedDrafts.has(id)) throw new SvcError("SVC_INVALID", `start: "${id}" is not a child that this run prepared`);
			return this.#preparedDrafts.get(id) ?? [];
		});
	}

	/**
	 * Stores drafted children together with `alongside`, all or nothing. Throws `SVC_CONFLICT` if some of the children exist, or if an
	 * operation of `alongside` conflicts.
	 */
	async store(drafts: readonly DraftedExecution[], alongside: readonly WriteOperation[]): Promise<void> {
		await this.#starter.store(drafts, alongside);
		for (const { entity } of drafts) {
			this.#tracker.record(entity);
			if (this.#preparedDrafts.has(entity.id)) this.#preparedDrafts.set(entity.id, undefined);
		}
	}

	/** Returns the drafts whose children are not stored. Records the children that are stored. */
	async findMissing(drafts: readonly DraftedExecution[]): Promise<readonly DraftedExecution[]> {
		const ids = drafts.map(({ entity }) => entity.id);
		const stored = ids.length === 0 ? [] : await this.#find({ id: { in: ids } });
		for (const child of stored) this.#tracker.record(child);
		const storedIds = new Set(stored.map(({ id }) => id));
		return drafts.filter(({ entity }) => !storedIds.has(entity.id));
	}

	/** Returns true if a child has changed since the runner last saw it. */
	async hasPendingChanges(): Promise<boolean> {
		const ids = this.#tracker.disclosedOpenIds();
		return ids.length > 0 && (await this.#find({ id: { in: ids } })).some((child) => this.#tracker.hasUndisclosedChange(child));
	}

	readonly find = async (key: string): Promise<Child | undefined> => {
		const firstId = toChildId(this.#run.execution.id, key);
		const read = async (id: string) => (await this.#find({ id }))[0];
		const stored = await this.#run.callHost(() => readLatest(firstId, read));
		return stored && this.#tracker.disclose(toChildReading(stored));
	};

	readonly list = async (): Promise<readonly Child[]> => {
		const latest = await this.#run.callHost(() => this.#readLatest());
		return [...latest.values()].map((reading) => this.#tracker.disclose(reading));
	};

	/** Reads the latest state of each child, by its id. */
	async #readLatest(): Promise<ReadonlyMap<string, ChildReading>> {
		const latest = new Map<string, ChildReading>();
		for await (const page of readChildPages(this.#parts.storage, { parent_id: this.#run.execution.id })) {
			for (const stored of page) {
				const reading = toChildReading(stored);
				const { id } = reading.child;
				if ((latest.get(id)?.version ?? 0) < reading.version) latest.set(id, reading);
			}
		}
		return latest;
	}

	readonly ended = async (id: string, { signal = this.#signal }: ChildWait = {}): Promise<Child> => {
		this.#run.assertHeld();
		if (this.#tracker.has(id)) return this.#tracker.waitForEnd(id, signal);
		const stored = await this.#run.callHost(() => this.#get(id));
		this.#tracker.record(stored);
		return this.#tracker.waitForEnd(toChildReading(stored).child.id, signal);
	};

	readonly changes = ({ signal = this.#signal }: ChildWait = {}): AsyncIterable<Child> => {
		this.#run.assertHeld();
		return this.#tracker.changes(signal);
	};

	readonly result = (id: string): Promise<JsonObject | null> =>
		this.#run.callHost(async () => {
			const child = await this.#read(id);
			const snapshot = await this.#parts.catalog.snapshot(child.snapshot_id);
			const resultSecrets = child.result === null ? [] : findResultSecrets(child.result, snapshot);
			await this.#addSecrets(this.#parts.sealedSecrets.decryptForExecution(child, snapshot).withValues(resultSecrets));
			return child.result;
		});

	readonly cancel = (id: string): Promise<void> =>
		this.#run.callHost(async () => {
			const requester = { username: this.#run.execution.user, isAdmin: false };
			for (let isReplaced = true; isReplaced; ) {
				const { entity } = await cancelExecution(this.#parts, await this.#get(id), requester, { byParent: true });
				// If the execution has ended and was replaced, cancel the replacement as well.
				isReplaced = findReplacementId(entity) !== undefined;
			}
		});

	readonly pause = (id: string): Promise<void> => this.#setStatus(id, "pausing");

	readonly resume = (id: string): Promise<void> => this.#setStatus(id, "resuming");

	async #setStatus(id: string, status: "pausing" | "resuming"): Promise<void> {
		await this.#run.callHost(async () => {
			const principal = await this.#starter.principal();
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

	/**
	 * Returns the id of the child of a request. Throws `SVC_INVALID` for an invalid key, and `SVC_RUNNER` for a request that is not JSON.
	 */
	#toId(request: ChildRequest, method: string): string {
		assertRecordable(request, `what ${method} was given`);
		if (typeof request.key !== "string" || request.key === "" || request.key.length > maxKeyLength) {
			throw new SvcError("SVC_INVALID", `key: must be a string of 1 to ${maxKeyLength} characters`);
		}
		return toChildId(this.#run.execution.id, request.key);
	}

	/** Drafts a child. If drafting fails but the child is already stored, records the child and returns undefined. */
	async #draft(id: string, request: ChildRequest): Promise<DraftedExecution | undefined> {
		try {
			return await this.#starter.draft(id, request, await this.#toTakeUp(request));
		} catch (error) {
			if (isSvcError(error, "SVC_UNAVAILABLE")) throw error;
			const [stored] = await this.#find({ id });
			if (stored === undefined) throw error;
			this.#tracker.record(stored);
			return undefined;
		}
	}

	async #toTakeUp({ action, takesUp }: ChildRequest): Promise<PartialRerun | undefined> {
		if (takesUp === undefined) return undefined;
		const earlier = await this.#read(takesUp.execution_id);
		if (earlier.action_ref !== action) {
			throw new SvcError("SVC_INVALID", `takesUp: execution "${earlier.id}" runs the action "${earlier.action_ref}", not "${action}"`);
		}
		return checkPartialRerun(this.#parts, earlier, takesUp);
	}

	#find(where: { readonly id?: string | { readonly in: readonly string[] } }): Promise<readonly StoredChild[]> {
		const { id } = this.#run.execution;
		const orderBy = [["start_timestamp", "asc"]] as const;
		return this.#parts.storage.find("execution", { where: { ...where, parent_id: id }, fields: childFields, orderBy });
	}

	/** Returns the current execution of a child. Throws `SVC_NOT_FOUND` for an id that is not a child of this run. */
	async #get(id: string): Promise<ExecutionEntity> {
		const child = await readLatest(id, (executionId) => this.#parts.storage.get("execution", executionId));
		if (child?.parent_id === this.#run.execution.id) return child;
		throw this.#toNotFound(id);
	}

	/**
	 * Returns the current execution of a child of this run, or of an execution that this run partially re-runs. Throws `SVC_NOT_FOUND` for
	 * any other id.
	 */
	async #read(id: string): Promise<ExecutionEntity> {
		const child = await readLatest(id, (executionId) => this.#parts.storage.get("execution", executionId));
		if (child !== undefined && (await this.#readableParents.has(child.parent_id))) return child;
		throw this.#toNotFound(id);
	}

	#toNotFound(id: string): SvcError {
		return new SvcError("SVC_NOT_FOUND", `execution "${id}" is not a child of "${this.#run.execution.id}"`);
	}

	get #signal(): AbortSignal {
		return this.#run.controller.signal;
	}
}

/**
 * Follows the replacements of an execution, and returns the last one; undefined if the first execution does not exist. All have the same
 * parent.
 */
async function readLatest<T extends Parameters<typeof findReplacementId>[0]>(
	id: string,
	read: (id: string) => Promise<T | undefined>,
): Promise<T | undefined> {
	for (let currentId = id; ; ) {
		const stored = await read(currentId);
		const replacementId = stored && findReplacementId(stored);
		if (replacementId === undefined) return stored;
		currentId = replacementId;
	}
}

/**
 * Executions whose children a run may read: its own execution, the execution that it partially re-runs, the one that was re-run by that,
 * and so on. The chain is read only as far as needed.
 */
class RerunChain {
	readonly #storage: Pick<Storage, "find">;
	readonly #ids: Set<string>;
	/** Id of the next execution to read; null if all have been read. */
	#nextId: string | null;

	constructor(storage: Pick<Storage, "find">, { id, takes_up }: Pick<ExecutionEntity, "id" | "takes_up">) {
		this.#storage = storage;
		this.#ids = new Set([id]);
		this.#nextId = takes_up;
	}

	async has(id: string | null): Promise<boolean> {
		if (id === null) return false;
		while (!this.#ids.has(id) && this.#nextId !== null && !this.#ids.has(this.#nextId)) {
			const currentId = this.#nextId;
			const [execution] = await this.#storage.find("execution", { where: { id: currentId }, fields: ["takes_up"] });
			this.#ids.add(currentId);
			this.#nextId = execution?.takes_up ?? null;
		}
		return this.#ids.has(id);
	}
}
