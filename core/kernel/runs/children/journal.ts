import {
	type EventBus,
	isSvcError,
	type JournalEntryEntity,
	type JournalStep,
	type JsonObject,
	type LastDecision,
	type Options,
	type RunJournal,
	type Storage,
	type WriteOperation,
} from "../../../contract/index.ts";
import { type EngineClock, toTimestamp } from "../../basics/clock.ts";
import { createId } from "../../basics/ids.ts";
import { assertRecordable } from "../../basics/plugin-results.ts";
import { publishTask } from "../../executions/execution-events.ts";
import { readJournal } from "../../executions/journal-entries.ts";
import type { DraftedExecution } from "../../submission/submit.ts";
import type { Decided, HeldRuns } from "../active-runs.ts";

import type { RunCalls } from "../host-calls.ts";
import type { Performance } from "../prepare-run.ts";
import type { RunRecords } from "../run-writes.ts";
import type { RunChildren } from "./run-children.ts";

export interface JournalParts {
	readonly storage: Storage;
	readonly eventBus: EventBus;
	readonly clock: EngineClock;
	readonly options: Pick<Options, "api">;
	readonly runs: Pick<HeldRuns, "saved">;
	readonly records: Pick<RunRecords, "guard" | "toStateOperation">;
}

interface Means {
	readonly calls: RunCalls;
	readonly children: Pick<RunChildren, "toDrafts" | "missing" | "store">;
	/** What is kept of what the run knows to be secret, for whoever goes on with it. */
	readonly seal: () => string | null;
}

/** The journal of one run. Its members may be taken apart. */
export class Journal implements RunJournal {
	readonly #parts: JournalParts;
	readonly #performance: Performance;
	readonly #means: Means;
	/** Number of the next entry; undefined: not known yet. */
	#next: number | undefined;
	/** Entries are stored one after the other, in the order in which they were given. Never rejects. */
	#last: Promise<unknown> = Promise.resolve();

	constructor(parts: JournalParts, performance: Performance, means: Means) {
		this.#parts = parts;
		this.#performance = performance;
		this.#means = means;
		// Nobody has written in it before.
		if (!performance.run.saved) this.#next = 1;
	}

	readonly read = (): Promise<readonly JsonObject[]> =>
		this.#means.calls.outlast(() => readJournal(this.#parts.storage, this.#performance.execution.id));

	readonly append = async (entry: JsonObject, { start = [], tasks = [] }: JournalStep = {}): Promise<void> => {
		assertRecordable({ entry, tasks }, "what journal.append was given");
		// As it is now: whoever gave it may go on to change it.
		const kept = structuredClone(this.#performance.run.secrets.withoutToken(entry));
		const drafts = this.#means.children.toDrafts(start);
		const storing = this.#last.then(() => this.#append(kept, drafts));
		this.#last = storing.catch(() => undefined);
		await storing;
		this.#tell(tasks);
	};

	/** The last entry, to be stored with the end of the run. */
	async toLast({ entry, tasks = [] }: LastDecision): Promise<Decided> {
		assertRecordable({ entry, tasks }, "what was decided with the end");
		const kept = structuredClone(this.#performance.run.secrets.withoutToken(entry));
		await this.#last;
		const sequence = await this.#means.calls.outlast(() => this.#toSequence());
		return { row: this.#toRow(kept, sequence), tell: () => this.#tell(tasks) };
	}

	async #append(entry: JsonObject, drafts: readonly DraftedExecution[]): Promise<void> {
		const { calls, children } = this.#means;
		const { run } = this.#performance;
		const sequence = await calls.outlast(() => this.#toSequence());
		const row = this.#toRow(entry, sequence);
		let missing = drafts;
		await calls.outlast(async () => {
			for (;;) {
				try {
					return await children.store(missing, this.#toOperations(row));
				} catch (error) {
					if (!isSvcError(error, "SVC_CONFLICT")) throw error;
					const before = missing;
					missing = await children.missing(before);
					// Written by an attempt whose answer was lost: nobody else has its id.
					if (await this.#isStored(row)) return;
					// A child is there that another run, or an earlier call, has started; anything else that is in the way has the execution.
					if (missing.length === before.length) throw calls.toLost();
				}
			}
		});
		this.#next = sequence + 1;
		if (!run.saved) this.#parts.runs.saved(run);
	}

	#toRow(entry: JsonObject, sequence: number): JournalEntryEntity {
		const { clock } = this.#parts;
		return { id: createId(clock), execution_id: this.#performance.execution.id, sequence, timestamp: toTimestamp(clock.now()), entry };
	}

	async #toSequence(): Promise<number> {
		if (this.#next !== undefined) return this.#next;
		const [last] = await this.#parts.storage.find("journal_entry", {
			where: { execution_id: this.#performance.execution.id },
			orderBy: [["sequence", "desc"]],
			limit: 1,
			fields: ["sequence"],
		});
		return (last?.sequence ?? 0) + 1;
	}

	/** The entry, on condition that the execution is this run's; the first one makes the run found again. */
	#toOperations(row: JournalEntryEntity): readonly WriteOperation[] {
		const { records } = this.#parts;
		const { execution, run } = this.#performance;
		const held = run.saved
			? records.guard(execution, run)
			: [records.toStateOperation(execution, run, { state: {}, sealed: this.#means.seal() })];
		return [...held, { insert: "journal_entry", entities: [row] }];
	}

	async #isStored({ id }: JournalEntryEntity): Promise<boolean> {
		return (await this.#parts.storage.count("journal_entry", { id })) > 0;
	}

	#tell(tasks: NonNullable<JournalStep["tasks"]>): void {
		const { eventBus, clock, options } = this.#parts;
		const { execution, run } = this.#performance;
		for (const task of tasks) {
			const told = task as unknown as JsonObject;
			const shown = options.api.mask_secrets ? run.secrets.json(told) : run.secrets.withoutToken(told);
			publishTask(eventBus, execution, { task: shown, timestamp: toTimestamp(clock.now()) });
		}
	}
}
