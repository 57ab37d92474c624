import {
	isSvcError,
	type JournalEntryEntity,
	type JournalStep,
	type JsonObject,
	type LastDecision,
	type RunJournal,
	type WriteOperation,
} from "../../../contract/index.ts";
import { toTimestamp } from "../../basics/clock.ts";
import { createId } from "../../basics/ids.ts";
import { assertRecordable } from "../../basics/plugin-results.ts";
import { publishTask } from "../../executions/execution-events.ts";
import { readJournal } from "../../executions/read-journal.ts";
import type { DraftedExecution } from "../../submission/submit.ts";
import type { ActiveRun, ActiveRuns, LastJournalEntry } from "../active-runs.ts";
import type { RunDependencies } from "../run-dependencies.ts";
import type { RunWrites } from "../run-writes.ts";
import type { RunChildren } from "./run-children.ts";

interface JournalDependencies extends RunDependencies {
	readonly runs: Pick<ActiveRuns, "markResumable">;
	readonly runWrites: Pick<RunWrites, "fenceOperations" | "toStateOperation">;
}

/** Parts of the run that the journal uses. */
interface JournalAccess {
	readonly children: Pick<RunChildren, "toDrafts" | "findMissing" | "store">;
	/** Encrypts the secrets of the run, including its token, for another process that continues the run. */
	readonly encryptSecrets: () => string | null;
}

/**
 * Journal of one run: numbered entries from which another process can continue the run. Runners may use its methods as plain functions.
 *
 * Guarantees:
 *
 * - An entry and the children that it starts are one write. So no child runs without the decision that started it, and no stored decision
 *   lacks its children.
 * - Entries are numbered without gaps, in the order of the calls of `append`. Calls may overlap; each write waits for the one before.
 * - Each write expects the fence of the run, unless no other node can exist. So a run that has lost its execution adds nothing.
 * - A child starts at most once, because its id is derived from its key.
 *
 * States of the run, as the journal changes them:
 *
 * - Not resumable: no entry is stored. The write of the first entry also stores an empty run state and the encrypted secrets.
 * - Resumable: another process can continue the run. Each further write adds only its entry and children.
 * - Ended: the last entry is not appended. `toLast` returns it, and the write of the final status stores it (`RunCompletion`).
 *
 * The first run of an execution starts at entry 1. A continued run reads the last stored number first.
 *
 * A write may conflict for three reasons, which are distinguished in this order:
 *
 * 1. An earlier attempt was stored although its response was lost. The entry is found by its id, and the call succeeds.
 * 2. Some of the children exist already. The write is repeated without these children.
 * 3. Otherwise another run holds the execution, or has stored an entry with this number. The call fails with `SVC_CONFLICT`.
 *
 * A failed `append` does not stop later ones; they reuse its number. While the storage is unavailable, calls wait.
 */
export class Journal implements RunJournal {
	readonly #parts: JournalDependencies;
	readonly #run: ActiveRun;
	readonly #access: JournalAccess;
	/** Number of the next entry. Undefined in a continued run until the number of its last stored entry is known. */
	#nextSequence: number | undefined;
	/** Resolves when the last write of an entry has succeeded or failed; the next write then starts. Never rejects. */
	#lastWrite: Promise<unknown> = Promise.resolve();

	constructor(parts: JournalDependencies, run: ActiveRun, access: JournalAccess) {
		this.#parts = parts;
		this.#run = run;
		this.#access = access;
		// A run that is not resumable has no journal entries yet.
		if (!run.isResumable) this.#nextSequence = 1;
	}

	readonly read = (): Promise<readonly JsonObject[]> => this.#run.callHost(() => readJournal(this.#parts.storage, this.#run.execution.id));

	readonly append = async (entry: JsonObject, { start = [], tasks = [] }: JournalStep = {}): Promise<void> => {
		assertRecordable({ entry, tasks }, "the argument of journal.append");
		// Copy the entry, because the runner may change it after the call.
		const ownEntry = structuredClone(this.#run.secrets.withoutToken(entry));
		const drafts = this.#access.children.toDrafts(start);
		const write = this.#lastWrite.then(() => this.#append(ownEntry, drafts));
		this.#lastWrite = write.catch(() => undefined);
		await write;
		this.#publishTasks(tasks);
	};

	/** Returns the last entry, which the caller must store with the end of the run. Waits for entries that are being written. */
	async toLast({ entry, tasks = [] }: LastDecision): Promise<LastJournalEntry> {
		assertRecordable({ entry, tasks }, "the journal entry of the end");
		const ownEntry = structuredClone(this.#run.secrets.withoutToken(entry));
		await this.#lastWrite;
		const sequence = await this.#run.callHost(() => this.#findNextSequence());
		return { row: this.#toRow(ownEntry, sequence), publishTasks: () => this.#publishTasks(tasks) };
	}

	async #append(entry: JsonObject, drafts: readonly DraftedExecution[]): Promise<void> {
		const { children } = this.#access;
		const sequence = await this.#run.callHost(() => this.#findNextSequence());
		const row = this.#toRow(entry, sequence);
		let missing = drafts;
		await this.#run.callHost(async () => {
			for (;;) {
				try {
					return await children.store(missing, this.#toOperations(row));
				} catch (error) {
					if (!isSvcError(error, "SVC_CONFLICT")) throw error;
					const attempted = missing;
					missing = await children.findMissing(attempted);
					// Then an earlier attempt was stored although its response was lost: no other write uses this id.
					if (await this.#isStored(row)) return;
					// If none of the children exists, the children did not cause the conflict: another run holds the execution.
					if (missing.length === attempted.length) throw this.#run.toLostError();
				}
			}
		});
		this.#nextSequence = sequence + 1;
		if (!this.#run.isResumable) this.#parts.runs.markResumable(this.#run);
	}

	#toRow(entry: JsonObject, sequence: number): JournalEntryEntity {
		const { clock } = this.#parts;
		return { id: createId(clock), execution_id: this.#run.execution.id, sequence, timestamp: toTimestamp(clock.now()), entry };
	}

	async #findNextSequence(): Promise<number> {
		if (this.#nextSequence !== undefined) return this.#nextSequence;
		const [last] = await this.#parts.storage.find("journal_entry", {
			where: { execution_id: this.#run.execution.id },
			orderBy: [["sequence", "desc"]],
			limit: 1,
			fields: ["sequence"],
		});
		return (last?.sequence ?? 0) + 1;
	}

	/**
	 * Returns the operations that store an entry if this run holds the execution. The operations of the first entry also make the run
	 * resumable.
	 */
	#toOperations(row: JournalEntryEntity): readonly WriteOperation[] {
		const { runWrites } = this.#parts;
		const fenceOperations = this.#run.isResumable
			? runWrites.fenceOperations(this.#run)
			: [runWrites.toStateOperation(this.#run, { state: {}, encryptedSecrets: this.#access.encryptSecrets() })];
		return [...fenceOperations, { insert: "journal_entry", entities: [row] }];
	}

	async #isStored({ id }: JournalEntryEntity): Promise<boolean> {
		return (await this.#parts.storage.count("journal_entry", { id })) > 0;
	}

	#publishTasks(tasks: NonNullable<JournalStep["tasks"]>): void {
		const { eventBus, clock, options } = this.#parts;
		const { execution, secrets } = this.#run;
		for (const task of tasks) {
			const plain = task as unknown as JsonObject;
			const shown = options.api.mask_secrets ? secrets.redactJson(plain) : secrets.withoutToken(plain);
			publishTask(eventBus, execution, { task: shown, timestamp: toTimestamp(clock.now()) });
		}
	}
}
