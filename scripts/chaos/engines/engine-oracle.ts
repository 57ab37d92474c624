import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Client, ExecutionRecord } from "../../../core/features/clients.ts";
import { isFinal } from "../../../core/testing/guarantees/ledger.test-support.ts";
import { findByEnvironment } from "../../../core/testing/guarantees/processes.test-support.ts";
import type { ChaosEngine } from "./chaos-engine.ts";
import { pack, text } from "./workload.ts";

export interface EngineViolation {
	/** The promise that was broken. */
	readonly promise: "kept" | "ends" | "once" | "output" | "alive" | "reason" | "final" | "left";
	/** Undefined where it is no engine's matter. */
	readonly engine: string | undefined;
	readonly detail: string;
}

/** Something that went wrong, from one moment to another, in milliseconds since 1970. */
export interface Mishap {
	/** Undefined: it was the service that was killed. */
	readonly engine: string | undefined;
	readonly what: string;
	readonly from: number;
	readonly to: number;
	readonly excuses?: RegExp | undefined;
}

/** Milliseconds that a service has for removing what has ended, and an engine for letting it go. */
const cleaning = 20_000;
/** Milliseconds by which what is noted here may differ from what is noted there. */
const slack = 1_500;
const limit = 100;

/** Knows what was acknowledged, what went wrong, and what commands have written themselves; compares that with what the service tells. */
export class EngineOracle {
	readonly #ledgers: string;
	readonly #engines: readonly ChaosEngine[];
	readonly #acknowledged = new Set<string>();
	readonly #ends = new Map<string, ExecutionRecord>();
	readonly #taken = new Set<string>();
	readonly #mishaps: Mishap[] = [];
	readonly #violations: EngineViolation[] = [];
	refused = 0;

	/** @param ledgers directory with a file for each engine, called like it */
	constructor(ledgers: string, engines: readonly ChaosEngine[]) {
		this.#ledgers = ledgers;
		this.#engines = engines;
	}

	acknowledge(id: string): void {
		this.#acknowledged.add(id);
	}

	count(): number {
		return this.#acknowledged.size;
	}

	/** Somebody has removed what an execution had on its engine. */
	noteTaken(id: string): void {
		this.#taken.add(id);
	}

	note(mishap: Mishap): void {
		this.#mishaps.push(mishap);
	}

	/** Look at all executions, acknowledged or not: an end that was seen must stay as it is. Gives those that are open. */
	async look(client: Client): Promise<readonly ExecutionRecord[]> {
		const records: ExecutionRecord[] = [];
		for (const { name } of this.#engines) records.push(...(await readAll(client, name)));
		const found = new Set(records.map(({ id }) => id));
		for (const id of this.#acknowledged)
			if (!found.has(id)) this.#violate("kept", undefined, `execution ${id} was acknowledged and is gone`);
		for (const record of records.filter(isFinal)) {
			const first = this.#ends.get(record.id);
			if (first === undefined) this.#ends.set(record.id, record);
			else if (first.status !== record.status || first.end_timestamp !== record.end_timestamp)
				this.#violate("final", engineOf(record), `execution ${record.id} ended ${first.status} and then became ${record.status}`);
		}
		return records.filter((record) => !isFinal(record));
	}

	/** How often the command of each execution of an engine has begun. */
	async countBegun(engine: string): Promise<ReadonlyMap<string, number>> {
		const counts = new Map<string, number>();
		const written = await readFile(join(this.#ledgers, engine), "utf8").catch(() => "");
		for (const id of written.split("\n").filter((line) => line !== "")) counts.set(id, (counts.get(id) ?? 0) + 1);
		return counts;
	}

	/** Compare everything promised with everything found, once all that could go wrong is over. */
	async judge(client: Client): Promise<readonly EngineViolation[]> {
		for (const record of await this.look(client))
			this.#violate("ends", engineOf(record), `execution ${record.id} is still ${record.status}`);
		for (const engine of this.#engines) {
			const begun = await this.countBegun(engine.name);
			for (const [id, times] of begun) if (times > 1) this.#violate("once", engine.name, `execution ${id} has begun ${times} times`);
			const ended = [...this.#ends.values()].filter((record) => engineOf(record) === engine.name);
			for (const record of ended) await this.#judgeEnd(client, engine, record, begun.get(record.id) ?? 0);
			await this.#judgeLeft(engine);
		}
		this.#judgeProcesses();
		return this.#violations;
	}

	describe(): string {
		const counts = new Map<string, number>();
		for (const record of this.#ends.values()) {
			const word = `${engineOf(record)} ${record.status}`;
			counts.set(word, (counts.get(word) ?? 0) + 1);
		}
		const ends = [...counts].sort().map(([word, count]) => `${count} × ${word}`);
		return `${this.#acknowledged.size} acknowledged, ${this.refused} refused; ${ends.join(", ")}; ${this.#taken.size} removed by hand`;
	}

	async #judgeEnd(client: Client, engine: ChaosEngine, record: ExecutionRecord, begun: number): Promise<void> {
		const { id, status } = record;
		const output = await client.executions.output(id, { type: "stdout" });
		if (status === "succeeded") {
			if (begun === 0) this.#violate("once", engine.name, `execution ${id} succeeded and has never begun`);
			if (output !== text) this.#violate("output", engine.name, `execution ${id} succeeded with the output ${JSON.stringify(output)}`);
			return;
		}
		if (!text.startsWith(output)) this.#violate("output", engine.name, `execution ${id} has the output ${JSON.stringify(output)}`);
		const told = `execution ${id} ended ${status}: ${JSON.stringify(record.result)}`;
		const reason = record.result?.["error"];
		if (!["failed", "abandoned"].includes(status)) this.#violate("ends", engine.name, told);
		if (status === "failed" && (typeof reason !== "string" || reason === "")) this.#violate("reason", engine.name, told);
		if (!this.#isExcused(engine, record, begun)) this.#violate("alive", engine.name, told);
	}

	/** Whether what has happened explains an end that is no success. */
	#isExcused({ name, isLasting, excuses }: ChaosEngine, record: ExecutionRecord, begun: number): boolean {
		const { id, status, result } = record;
		if (this.#taken.has(id)) return true;
		const under = this.#mishaps.filter(
			({ from, to }) => from - slack < toTime(record.end_timestamp) && to + slack > toTime(record.start_timestamp),
		);
		const isKilled = under.some(({ engine }) => engine === undefined);
		if (status === "abandoned" && isKilled && (begun === 0 || !isLasting)) return true;
		const reason = String(result?.["error"]);
		return excuses?.test(reason) === true || under.some((mishap) => mishap.engine === name && mishap.excuses?.test(reason));
	}

	async #judgeLeft(engine: ChaosEngine): Promise<void> {
		let left = await engine.left();
		for (const deadline = Date.now() + cleaning; left.length > 0 && Date.now() < deadline; left = await engine.left())
			await new Promise((resolve) => setTimeout(resolve, 250));
		for (const { run, what, isDoomed } of left) {
			if (!isDoomed || !this.#wasInterrupted(engine, run)) this.#violate("left", engine.name, `${what} is left of ${run}`);
		}
	}

	/** Whether the service was killed, or had lost the engine, when it was to remove what is left of an execution. */
	#wasInterrupted({ name }: ChaosEngine, run: string): boolean {
		const ended = [...this.#ends.values()].find(({ id, liveaction }) => id === run || liveaction.id === run);
		const end = toTime(ended?.end_timestamp);
		return this.#mishaps.some(({ engine, from, to }) => (engine ?? name) === name && to > end - slack && from < end + cleaning);
	}

	#judgeProcesses(): void {
		for (const pid of findByEnvironment(`SVC_ACTION_PACK_NAME=${pack}\0`))
			this.#violate("left", undefined, `process ${pid} of an execution that has ended`);
	}

	#violate(promise: EngineViolation["promise"], engine: string | undefined, detail: string): void {
		if (!this.#violations.some((violation) => violation.detail === detail)) this.#violations.push({ promise, engine, detail });
	}
}

async function readAll(client: Client, engine: string): Promise<readonly ExecutionRecord[]> {
	const records: ExecutionRecord[] = [];
	for (;;) {
		const { items } = await client.executions.list({ action: `${pack}.${engine}`, limit, offset: records.length });
		records.push(...items);
		if (items.length < limit) return records;
	}
}

function engineOf(record: ExecutionRecord): string {
	return record.action.name;
}

const toTime = (timestamp: string | null | undefined): number => Date.parse(timestamp ?? "");
